/// The nearest of the 240 fixed colours as they look, found once for each colour that occurs.
final class FixedColors {
  /// By six bits of each channel: the greys of the palette lie but ten levels apart. 0 is not known yet.
  private var indices = [UInt8](repeating: 0, count: 1 << 18)
  private let entries = (16...255).map { PerceivedColor(Palette.rgb256($0)) }
  private let colors = (0...255).map { Palette.rgb256($0) }

  /// What shows a cell best.
  func best(_ cell: ShownCell) -> ShownCell {
    let first = nearest(cell.first)
    return cell.with(first: first, second: cell.isSolid ? first : nearest(cell.second))
  }

  private func nearest(_ color: UInt32) -> UInt32 {
    let red = Int(color >> 18 & 63)
    let green = Int(color >> 10 & 63)
    let blue = Int(color >> 2 & 63)
    let slot = red << 12 | green << 6 | blue
    let known = indices[slot]
    if known != 0 { return colors[Int(known)] }
    // The middle of what shares the slot.
    let wanted = PerceivedColor(color & 0xFCFCFC | 0x020202)
    var best = (distance: Int.max, index: 16)
    for (place, entry) in entries.enumerated() {
      let distance = wanted.distance(to: entry)
      if distance < best.distance { best = (distance, 16 + place) }
    }
    indices[slot] = UInt8(best.index)
    return colors[best.index]
  }
}
