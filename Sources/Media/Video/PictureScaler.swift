internal import CYUV
import RTCCore

/// How a picture is laid into an area of another shape.
public enum ScalingMode: String, Hashable, Sendable, CaseIterable {
  /// All of the picture onto all of the area; whoever chose the area has seen to its shape.
  case stretch
  /// All of the picture, its shape kept, on black.
  case fit
  /// All of the area, the picture's shape kept, its overhang cut off evenly.
  case fill
}

/// Scales pictures and turns them into RGB. One owner, one thread at a time; keeps its scratch memory.
///
/// Planes are averaged by libyuv in I420 and converted after scaling, which costs a third of the other order. Chroma
/// is brought to the full target size, as at terminal sizes half of it would lose the colour of small things.
public final class PictureScaler {
  private let pool: I420Pool
  private var planes: [UInt8] = []
  private var converted: [UInt32] = []

  public init(pool: I420Pool = I420Pool(capacity: 3)) {
    self.pool = pool
  }

  /// The picture at `width` x `height` pixels, each at least 1.
  ///
  /// - Parameters:
  ///   - source: the picture as it was decoded.
  ///   - width: columns of pixels.
  ///   - height: rows of pixels.
  ///   - mode: what becomes of another shape.
  ///   - mirrored: left and right are swapped, as for one's own camera.
  ///   - pixelAspect: width of a target pixel divided by its height; used by `fit` and `fill`.
  public func picture(
    of source: I420Buffer, width: Int, height: Int, mode: ScalingMode = .stretch, mirrored: Bool = false,
    pixelAspect: Double = 1
  ) -> RGBPicture {
    precondition(I420Layout.sides.contains(width) && I420Layout.sides.contains(height) && pixelAspect > 0)
    let sourceAspect = Double(source.width) / Double(source.height)
    let targetAspect = Double(width) * pixelAspect / Double(height)
    var cut = Area(x: 0, y: 0, width: source.width, height: source.height)
    var target = Area(x: 0, y: 0, width: width, height: height)
    switch mode {
    case .stretch: break
    case .fit where sourceAspect > targetAspect: target.cutHeight(to: Double(height) * targetAspect / sourceAspect)
    case .fit: target.cutWidth(to: Double(width) * sourceAspect / targetAspect)
    case .fill where sourceAspect > targetAspect:
      cut.cutWidth(to: Double(source.width) * targetAspect / sourceAspect)
    case .fill: cut.cutHeight(to: Double(source.height) * sourceAspect / targetAspect)
    }
    // Chroma samples span two pixels: a cut begins on an even one.
    cut.x &= ~1
    cut.y &= ~1
    var result = RGBPicture(width: width, height: height)
    draw(source, cut, into: &result, target, mirrored: mirrored)
    return result
  }

  /// The same picture in another size, for an encoder; sides must lie in ``I420Layout/sides``.
  public func resized(_ source: I420Buffer, width: Int, height: Int) -> I420Buffer {
    if source.width == width, source.height == height { return source }
    let picture = MutableI420(width: width, height: height, pool: pool)
    I420Scale(
      source.pointer(to: .y), source.stride(of: .y), source.pointer(to: .u), source.stride(of: .u),
      source.pointer(to: .v), source.stride(of: .v), Int32(source.width), Int32(source.height),
      picture.pointer(to: .y), picture.stride(of: .y), picture.pointer(to: .u), picture.stride(of: .u),
      picture.pointer(to: .v), picture.stride(of: .v), Int32(width), Int32(height), kFilterBox)
    withExtendedLifetime(source) {}
    return picture.finish()
  }

  private struct Area {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    mutating func cutWidth(to wanted: Double) {
      let kept = max(1, min(width, Int(wanted.rounded())))
      x += (width - kept) / 2
      width = kept
    }
    mutating func cutHeight(to wanted: Double) {
      let kept = max(1, min(height, Int(wanted.rounded())))
      y += (height - kept) / 2
      height = kept
    }
  }

  private func draw(
    _ source: I420Buffer, _ cut: Area, into result: inout RGBPicture, _ target: Area, mirrored: Bool
  ) {
    let count = target.width * target.height
    if planes.count < count * 3 { planes = Array(repeating: 0, count: count * 3) }
    if converted.count < count { converted = Array(repeating: 0, count: count) }
    let stride = Int32(target.width)
    let lines = Int32(target.height)
    planes.withUnsafeMutableBufferPointer { planes in
      converted.withUnsafeMutableBufferPointer { converted in
        guard let plane = planes.baseAddress, let pixels = converted.baseAddress else { return }
        let luma = source.pointer(to: .y) + (cut.y * source.stride(of: .y) + cut.x)
        ScalePlane(
          luma, source.stride(of: .y), Int32(cut.width), Int32(cut.height), plane, stride, stride, lines, kFilterBox)
        for (index, chroma) in [I420Buffer.Plane.u, .v].enumerated() {
          let start = source.pointer(to: chroma) + (cut.y / 2 * source.stride(of: chroma) + cut.x / 2)
          ScalePlane(
            start, source.stride(of: chroma), Int32((cut.width + 1) / 2), Int32((cut.height + 1) / 2),
            plane + count * (index + 1), stride, stride, lines, kFilterBox)
        }
        pixels.withMemoryRebound(to: UInt8.self, capacity: count * 4) { bytes in
          _ = I444ToARGB(
            plane, stride, plane + count, stride, plane + count * 2, stride, bytes, stride * 4, stride, lines)
        }
      }
    }
    withExtendedLifetime(source) {}
    // libyuv's "ARGB" is the word 0xAARRGGBB; the alpha byte goes.
    let resultWidth = result.width
    result.pixels.withUnsafeMutableBufferPointer { out in
      converted.withUnsafeBufferPointer { pixels in
        for row in 0..<target.height {
          let to = (target.y + row) * resultWidth + target.x
          let from = row * target.width
          if mirrored {
            for column in 0..<target.width {
              out[to + column] = pixels[from + target.width - 1 - column] & 0x00ff_ffff
            }
          } else {
            for column in 0..<target.width { out[to + column] = pixels[from + column] & 0x00ff_ffff }
          }
        }
      }
    }
  }
}
