internal import Screen

/// The best cells for terminals of 16 or 8 colours: a shade of two of them where one colour fills the cell, and the
/// nearest of them for each part of others.
final class FewColors: Sendable {
  /// By ``slot(_:)``: what shows one colour best as a whole cell, and the nearest single colour.
  private let tones: [Tone]
  private let nearest: [UInt32]

  /// What the contrast of a shade's two colours counts against it, in shares of their distance: dots of black and white
  /// make a grey that is worse to look at than a grey that is a little off.
  private static let grain = 64

  private struct Tone {
    let cell: ShownCell
    /// Its colour from afar.
    let shown: UInt32
    let grain: Int
  }

  private init(colors: ArraySlice<UInt32>, hasShades: Bool) {
    // Four bits a channel: steps of 17, far below those of what can be shown.
    let all = (UInt32(0)..<4096).map { (slot: UInt32) -> UInt32 in
      let red = (slot >> 8) * 0x11
      let green = (slot >> 4 & 15) * 0x11
      let blue = (slot & 15) * 0x11
      return red << 16 | green << 8 | blue
    }
    var tones = colors.map { Tone(cell: ShownCell(solid: $0), shown: $0, grain: 0) }
    for (place, first) in colors.enumerated() where hasShades {
      for second in colors.dropFirst(place + 1) {
        for (index, glyph) in InkGlyph.shades.enumerated() {
          tones.append(
            Tone(
              cell: ShownCell(first: first, second: second, shape: ShownCell.inkShape + UInt8(index)),
              shown: ColorDistance.mix(first, second, share: glyph.upper),
              grain: ColorDistance.perceived(first, second) / Self.grain))
        }
      }
    }
    let looks = tones.map { PerceivedColor($0.shown) }
    self.tones = all.map { color in
      let color = PerceivedColor(color)
      var best = (cost: Int.max, tone: tones[0])
      for (index, tone) in tones.enumerated() where tone.grain < best.cost {
        let cost = color.distance(to: looks[index]) + tone.grain
        if cost < best.cost { best = (cost, tone) }
      }
      return best.tone
    }
    nearest = all.map { color in
      colors.min { ColorDistance.perceived(color, $0) < ColorDistance.perceived(color, $1) } ?? 0
    }
  }

  private static let sixteen = FewColors(colors: Palette.rgb16[...], hasShades: true)
  private static let eight = FewColors(colors: Palette.rgb16.prefix(8), hasShades: true)
  private static let plainSixteen = FewColors(colors: Palette.rgb16[...], hasShades: false)
  private static let plainEight = FewColors(colors: Palette.rgb16.prefix(8), hasShades: false)

  static func table(hasBrightColors: Bool, hasShades: Bool) -> FewColors {
    switch (hasBrightColors, hasShades) {
    case (true, true): sixteen
    case (true, false): plainSixteen
    case (false, true): eight
    case (false, false): plainEight
    }
  }

  private func slot(_ color: UInt32) -> Int {
    Int(color >> 20 & 15) << 8 | Int(color >> 12 & 15) << 4 | Int(color >> 4 & 15)
  }

  /// What shows a cell best.
  func best(_ cell: ShownCell) -> ShownCell {
    if cell.isSolid { return tones[slot(cell.first)].cell }
    let wanted = cell.parts
    let even = tones[slot(wanted.mean)]
    let divided = cell.with(first: nearest[slot(cell.first)], second: nearest[slot(cell.second)])
    let evenParts = CellParts(first: even.shown, second: even.shown, mask: CellParts.whole)
    let evenError = wanted.sum(evenParts, ColorDistance.squared)
    return wanted.sum(divided.parts, ColorDistance.squared) < evenError ? divided : even.cell
  }
}
