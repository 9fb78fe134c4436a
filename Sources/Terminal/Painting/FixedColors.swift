internal import Screen

/// The best cells for terminals of 256 colours: the nearest of the 240 fixed ones for each part, or a shade of two where
/// that comes much closer. The palette has no dark browns and few colours of skin, so faces would be grey without shades.
///
/// Everything is found once for each colour that occurs.
final class FixedColors {
  /// By ``slot(_:)``. 0 is not known yet.
  private var indices = [UInt8](repeating: 0, count: 1 << 18)
  /// By ``slot(_:)``: nothing is known yet, no shade is worth it, or a place in ``tones`` from ``firstTone`` on.
  private var shades = [UInt32](repeating: unknown, count: 1 << 18)
  private var tones: [Tone] = []
  /// By first entry, then second: what two entries look like in each of ``InkGlyph/shades``; empty is not known yet. The same
  /// neighbours are tried for many colours.
  private var mixtures: [[Mixture]]
  private let entries = (16...255).map { PerceivedColor(Palette.rgb256($0)) }
  private let colors = (0...255).map { Palette.rgb256($0) }
  private let hasShades: Bool

  private static let unknown: UInt32 = 0
  private static let none: UInt32 = 1
  private static let firstTone: UInt32 = 2
  /// How much closer than the nearest colour a shade must come, in millionths of the distance of black and white: what is
  /// seen as another colour. Dots are worse to look at than a colour that is a little off.
  private static let leastGain = 2_000
  /// As with sixteen colours: what the contrast of a shade's two colours counts against it.
  private static let grain = 64
  /// Entries around a colour of which pairs are tried: shades mix neighbours.
  private static let neighbours = 20

  private struct Mixture {
    let shown: UInt32
    let perceived: PerceivedColor
  }

  private struct Tone {
    let cell: ShownCell
    /// Its colour from afar.
    let shown: UInt32
  }

  init(hasShades: Bool) {
    self.hasShades = hasShades
    mixtures = Array(repeating: [], count: hasShades ? entries.count * entries.count : 0)
  }

  /// What shows a cell best.
  func best(_ cell: ShownCell) -> ShownCell {
    let first = nearest(cell.first)
    let divided = cell.with(first: first, second: cell.isSolid ? first : nearest(cell.second))
    guard hasShades else { return divided }
    let wanted = cell.parts
    guard let even = tone(of: wanted.mean) else { return divided }
    let evenParts = CellParts(first: even.shown, second: even.shown, mask: CellParts.whole)
    // Twice, because a shade has neither the edges nor the calm of colours side by side.
    let evenError = 2 * wanted.sum(evenParts, ColorDistance.squared)
    return wanted.sum(divided.parts, ColorDistance.squared) < evenError ? divided : even.cell
  }

  /// Six bits of each channel: the greys of the palette lie but ten levels apart.
  private func slot(_ color: UInt32) -> Int {
    Int(color >> 18 & 63) << 12 | Int(color >> 10 & 63) << 6 | Int(color >> 2 & 63)
  }

  /// The middle of what shares the slot; black is itself, as the eye tells it from anything lighter.
  private func middle(_ color: UInt32) -> PerceivedColor {
    let lowest = color & 0xFCFCFC
    return PerceivedColor(lowest == 0 ? 0 : lowest | 0x020202)
  }

  private func nearest(_ color: UInt32) -> UInt32 {
    let slot = slot(color)
    let known = indices[slot]
    if known != 0 { return colors[Int(known)] }
    let wanted = middle(color)
    var best = (distance: Int.max, index: 16)
    for (place, entry) in entries.enumerated() {
      let distance = wanted.distance(to: entry)
      if distance < best.distance { best = (distance, 16 + place) }
    }
    indices[slot] = UInt8(best.index)
    return colors[best.index]
  }

  /// A shade that shows a colour much better than any single one; nil when there is none.
  private func tone(of color: UInt32) -> Tone? {
    let slot = slot(color)
    if shades[slot] == Self.unknown {
      if let tone = findTone(for: middle(color)) {
        shades[slot] = Self.firstTone + UInt32(tones.count)
        tones.append(tone)
      } else {
        shades[slot] = Self.none
      }
    }
    return shades[slot] < Self.firstTone ? nil : tones[Int(shades[slot] - Self.firstTone)]
  }

  private func findTone(for wanted: PerceivedColor) -> Tone? {
    let near = neighbours(of: wanted)
    guard let closest = near.first else { return nil }
    var best = (cost: closest.distance - Self.leastGain, tone: Tone?.none)
    for (place, first) in near.enumerated() {
      for second in near.dropFirst(place + 1) {
        let grain = entries[first.entry].distance(to: entries[second.entry]) / Self.grain
        guard grain < best.cost else { continue }
        for (index, mixture) in mixtures(of: first.entry, and: second.entry).enumerated() {
          let cost = wanted.distance(to: mixture.perceived) + grain
          guard cost < best.cost else { continue }
          let cell = ShownCell(
            first: colors[16 + first.entry], second: colors[16 + second.entry],
            shape: ShownCell.inkShape + UInt8(index))
          best = (cost, Tone(cell: cell, shown: mixture.shown))
        }
      }
    }
    return best.tone
  }

  /// The entries that come closest to a colour, the closest first.
  private func neighbours(of wanted: PerceivedColor) -> [(distance: Int, entry: Int)] {
    var near: [(distance: Int, entry: Int)] = []
    near.reserveCapacity(Self.neighbours + 1)
    for (entry, color) in entries.enumerated() {
      let distance = wanted.distance(to: color)
      if near.count == Self.neighbours, let last = near.last, distance >= last.distance { continue }
      let place = near.firstIndex { distance < $0.distance } ?? near.count
      near.insert((distance, entry), at: place)
      if near.count > Self.neighbours { near.removeLast() }
    }
    return near
  }

  private func mixtures(of first: Int, and second: Int) -> [Mixture] {
    let place = first * entries.count + second
    if mixtures[place].isEmpty {
      mixtures[place] = InkGlyph.shades.map { glyph in
        let shown = ColorDistance.mix(colors[16 + first], colors[16 + second], share: glyph.upper)
        return Mixture(shown: shown, perceived: PerceivedColor(shown))
      }
    }
    return mixtures[place]
  }
}
