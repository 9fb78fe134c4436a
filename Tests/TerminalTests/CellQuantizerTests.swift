import Screen
import TestKit
import Testing

@testable import Terminal

@Suite struct CellQuantizerTests {
  private static let fewColors: [ColorDepth] = [.indexed256, .indexed16, .indexed8, .none]

  private func grey(_ level: Int) -> UInt32 { UInt32(level) * 0x010101 }

  @Test(arguments: fewColors) func brighterPicturesAreNeverShownDarker(depth: ColorDepth) {
    let quantizer = CellQuantizer(depth: depth, glyphs: .half)
    var before = 0
    var tones: Set<Int> = []
    for level in 0...255 {
      let shown = quantizer.best(ShownCell(solid: grey(level))).parts
      let luma = (ColorDistance.luma(shown.first) + ColorDistance.luma(shown.second)) / 2
      // Colours of nearly the same brightness may take turns.
      #expect(luma >= before - 12, "\(level)")
      before = max(before, luma)
      tones.insert(luma)
    }
    #expect(tones.count >= 7)
  }

  @Test(arguments: fewColors, VideoGlyphs.allCases) func nothingShowsACellMuchBetterThanTheBest(
    depth: ColorDepth, glyphs: VideoGlyphs
  ) {
    var generator = SeededGenerator(seed: 8)
    let quantizer = CellQuantizer(depth: depth, glyphs: glyphs)
    let colors = depth == .indexed256 ? (16...255).map { Palette.rgb256($0) } : Array(Palette.rgb16.prefix(8))
    for _ in 0..<300 {
      let cell = ShownCell(
        first: UInt32.random(in: 0...0xFF_FFFF, using: &generator),
        second: UInt32.random(in: 0...0xFF_FFFF, using: &generator), shape: 0)
      // A cell of ASCII has one colour.
      let wanted = glyphs == .ascii && depth != .none ? ShownCell(solid: cell.parts.mean).parts : cell.parts
      let best = quantizer.error(of: quantizer.best(cell).parts, against: wanted)
      for _ in 0..<20 {
        let color =
          depth == .none
          ? [0, 0xFF_FFFF].randomElement(using: &generator) ?? 0 : colors.randomElement(using: &generator) ?? 0
        let other = quantizer.error(of: ShownCell(solid: color).parts, against: wanted)
        // Tables look up the middle of a range of colours, and an even shade may be worth a little error.
        #expect(Double(best) <= Double(other) * 1.5 + 300_000)
      }
    }
  }

  /// From very dark to very light, none of which the palette has.
  @Test(arguments: [0x4A3024, 0x5A3A2C, 0x6E4836, 0x8C5F46, 0xC89678, 0xE6C8B4] as [UInt32])
  func colorsOfSkinKeepTheirHueIn256Colors(skin: UInt32) {
    let parts = CellQuantizer(depth: .indexed256, glyphs: .half).best(ShownCell(solid: skin)).parts
    for shown in [parts.first, parts.second] {
      #expect(ColorDistance.perceived(shown, skin) < 2_500, "\(String(shown, radix: 16))")
      #expect(shown >> 16 > shown & 255, "redder than blue")
    }
  }

  @Test func edgesAndOwnColorsAreNotShadedIn256Colors() {
    let quantizer = CellQuantizer(depth: .indexed256, glyphs: .half)
    for index in 16...255 {
      let own = ShownCell(solid: Palette.rgb256(index))
      #expect(quantizer.best(own) == own)
    }
    #expect(!quantizer.best(ShownCell(first: 0x4A3024, second: 0xE6C8B4, shape: 0)).isInk)
  }

  @Test func withoutColoursHalvesAreTold() {
    for glyphs in VideoGlyphs.allCases {
      let quantizer = CellQuantizer(depth: .none, glyphs: glyphs)
      let parts = quantizer.best(ShownCell(first: 0xFFFFFF, second: 0, shape: 0)).parts
      #expect(ColorDistance.luma(parts.first) > ColorDistance.luma(parts.second) + 100)
    }
    let quarter = CellShape.quarters(0b1001).rawValue
    let checked = CellQuantizer(depth: .none, glyphs: .quadrants).best(
      ShownCell(first: 0xF0F0F0, second: 0x0F0F0F, shape: quarter))
    #expect(checked == ShownCell(first: Brightness.ink, second: Brightness.ground, shape: quarter))
  }

  @Test func twoColoursInDotsAreAsBrightAsTheirLight() {
    #expect(ColorDistance.mix(0xFFFFFF, 0, share: InkGlyph.whole) == 0xFFFFFF)
    #expect(ColorDistance.mix(0x123456, 0x123456, share: 77) == 0x123456)
    let half = ColorDistance.mix(0xFFFFFF, 0, share: InkGlyph.whole / 2)
    // Half the light of white is 188 in sRGB's coding.
    #expect(ColorDistance.channel(half, grey(188)) <= 8)
    for first in stride(from: 0, through: 255, by: 15) {
      for second in stride(from: 0, through: 255, by: 15) {
        for share in stride(from: UInt8(0), through: 250, by: 25) {
          let mixed = Int(ColorDistance.mix(grey(first), grey(second), share: share) & 255)
          #expect(mixed >= min(first, second) - 3 && mixed <= max(first, second) + 3)
        }
      }
    }
  }

  @Test func distancesAreAsTheEyeSeesThem() {
    #expect((990_000...1_010_000).contains(ColorDistance.perceived(0, 0xFFFFFF)))
    // A step of dark grey is seen like one of light grey.
    let dark = ColorDistance.perceived(0x303030, 0x404040)
    let light = ColorDistance.perceived(0xC0C0C0, 0xD0D0D0)
    #expect(dark < 3 * light && light < 3 * dark)
  }

  @Test func everyGlyphDrawsTheShapeThatItStandsFor() throws {
    for mask: UInt8 in 0..<64 {
      for shape in [CellShape.upperHalf, .quarters(mask), .sixths(mask)] {
        var model = TerminalModel(columns: 2, rows: 1)
        var buffer = ByteBuffer()
        let (glyph, inverse) = CellGlyph.pair(shape: shape.rawValue)
        buffer.append(glyph)
        buffer.append(try #require(inverse))
        model.execute(buffer.withBytes(Array.init))
        #expect(model[0, 0].block == shape.twelfths)
        #expect(model[1, 0].block == ~shape.twelfths & CellParts.whole)
      }
    }
    for (index, ink) in InkGlyph.all.enumerated() {
      let (glyph, inverse) = CellGlyph.pair(shape: ShownCell.inkShape + UInt8(index))
      #expect(glyph == CellGlyph(ink.character))
      #expect((inverse != nil) == (index < InkGlyph.shades.count))
    }
  }
}
