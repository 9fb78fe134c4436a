import RTCCore
import Testing

@testable import Media

@Suite struct PictureScalerTests {
  /// Left half red, right half blue, in limited range BT.601.
  private func halves(width: Int, height: Int) -> I420Buffer {
    let picture = MutableI420(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width { picture.set(.y, x: x, y: y, to: x < width / 2 ? 81 : 41) }
    }
    for y in 0..<picture.layout.chromaHeight {
      for x in 0..<picture.layout.chromaWidth {
        let isLeft = x < picture.layout.chromaWidth / 2
        picture.set(.u, x: x, y: y, to: isLeft ? 90 : 240)
        picture.set(.v, x: x, y: y, to: isLeft ? 240 : 110)
      }
    }
    return picture.finish()
  }

  private func isRed(_ pixel: UInt32) -> Bool { pixel >> 16 > 240 && pixel & 0xff < 16 && pixel >> 8 & 0xff < 16 }
  private func isBlue(_ pixel: UInt32) -> Bool { pixel >> 16 < 16 && pixel & 0xff > 240 && pixel >> 8 & 0xff < 16 }

  @Test(arguments: [(40, 40), (80, 46), (33, 17), (1, 1), (200, 112), (641, 363)])
  func anySizeKeepsColoursAndSides(width: Int, height: Int) {
    let result = PictureScaler().picture(of: halves(width: 160, height: 90), width: width, height: height)
    #expect(result.pixels.count == width * height)
    #expect(result.pixels.allSatisfy { $0 >> 24 == 0 })
    guard width > 4 else { return }
    for row in 0..<height {
      #expect(isRed(result.pixels[row * width]))
      #expect(isBlue(result.pixels[row * width + width - 1]))
    }
  }

  @Test func mirroringSwapsSides() {
    let scaler = PictureScaler()
    let result = scaler.picture(of: halves(width: 160, height: 90), width: 40, height: 22, mirrored: true)
    #expect(isBlue(result.pixels[0]) && isRed(result.pixels[39]))
  }

  @Test func fitKeepsTheShapeOnBlack() {
    let result = PictureScaler().picture(of: halves(width: 160, height: 90), width: 40, height: 40, mode: .fit)
    #expect(result.pixels[0] == 0 && result.pixels[40 * 39] == 0)
    #expect(isRed(result.pixels[20 * 40]) && isBlue(result.pixels[20 * 40 + 39]))
    #expect((0..<40).count { result.pixels[$0 * 40] != 0 } == 23)
    let tall = PictureScaler().picture(of: halves(width: 90, height: 160), width: 40, height: 40, mode: .fit)
    #expect(tall.pixels[20 * 40] == 0 && isRed(tall.pixels[20 * 40 + 10]))
  }

  @Test func fillCutsTheOverhang() {
    let scaler = PictureScaler()
    let wide = scaler.picture(of: halves(width: 160, height: 90), width: 40, height: 40, mode: .fill)
    #expect(isRed(wide.pixels[0]) && isBlue(wide.pixels[39]) && isRed(wide.pixels[15]) && isBlue(wide.pixels[24]))
    #expect(wide.pixels.allSatisfy { $0 != 0 })
    let tall = scaler.picture(of: halves(width: 90, height: 160), width: 40, height: 20, mode: .fill)
    #expect(tall.pixels.allSatisfy { $0 != 0 })
  }

  /// Pixels half as wide as high: 80 of them are as wide as 40 square ones.
  @Test func thePixelsShapeCounts() {
    let result = PictureScaler().picture(
      of: halves(width: 160, height: 90), width: 80, height: 40, mode: .fit, pixelAspect: 0.5)
    #expect((0..<40).count { result.pixels[$0 * 80] != 0 } == 23)
  }

  @Test func memoryIsUsedAgain() {
    let pool = I420Pool(capacity: 2)
    func address() -> UnsafePointer<UInt8> { MutableI420(width: 64, height: 64, pool: pool).finish().pointer(to: .y) }
    let first = address()
    #expect(address() == first)
  }
}
