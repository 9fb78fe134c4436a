import RTCCore
import Screen
import TestKit
import Testing

@testable import Terminal

/// A grid of video that changes a little from frame to frame.
struct MovingPicture {
  var generator: SeededGenerator
  let columns: Int
  let rows: Int
  let density: PixelDensity
  private var pixels: [UInt32]

  init(seed: UInt64, columns: Int, rows: Int, density: PixelDensity = .halves) {
    generator = SeededGenerator(seed: seed)
    self.columns = columns
    self.rows = rows
    self.density = density
    pixels = []
    for _ in 0..<(columns * density.columns * rows * density.rows) {
      pixels.append(UInt32.random(in: 0...0xFF_FFFF, using: &generator))
    }
  }

  /// Changes about a third of the pixels: some by a little, some to a neighbour's colour, some to any.
  mutating func advance() {
    for index in pixels.indices {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: pixels[index] = UInt32.random(in: 0...0xFF_FFFF, using: &generator)
      case 1: pixels[index] = pixels[max(0, index - 1)]
      case 2, 3:
        let blue = Int(pixels[index] & 255) + Int.random(in: -6...6, using: &generator)
        pixels[index] = pixels[index] & 0xFF_FF00 | UInt32(min(max(0, blue), 255))
      default: break
      }
    }
  }

  /// Draws the part of the picture that lies under `rect`.
  func draw(into grid: inout CellGrid, rect: CellRect) {
    grid.markVideo(rect)
    let visible = rect.intersection(grid.bounds)
    let width = columns * density.columns
    let left = visible.column * density.columns
    var part: [UInt32] = []
    for y in (visible.row * density.rows)..<(visible.endRow * density.rows) {
      part += pixels[(y * width + left)..<(y * width + left + visible.columns * density.columns)]
    }
    grid.put(
      RGBPicture(width: visible.columns * density.columns, height: visible.rows * density.rows, pixels: part),
      centredIn: visible, density: density, letterbox: 0)
  }
}

/// Compares the video on a model of the terminal with what a grid wants there.
struct PictureJudge {
  let depth: ColorDepth
  let glyphs: VideoGlyphs

  /// Cells that show something further from what is wanted than is allowed: than `tolerance` in 24 bits, than the best
  /// there is, and the painter's slack while `isMoving`, in others.
  func faults(of model: TerminalModel, from grid: CellGrid, tolerance: Int, isMoving: Bool) -> [String] {
    let quantizer = CellQuantizer(depth: depth, glyphs: glyphs)
    var faults: [String] = []
    for row in 0..<grid.rows {
      for column in 0..<grid.columns where grid[column, row].plane == .video {
        let wanted = ShownCell(grid.video[row * grid.columns + column])
        guard let shown = parts(of: model[column, row]) else {
          faults.append("\(column),\(row) is \(model[column, row])")
          continue
        }
        let target = glyphs == .ascii && depth != .none ? ShownCell(solid: wanted.parts.mean).parts : wanted.parts
        let best = quantizer.best(wanted).parts
        let isRight =
          if depth == .trueColor {
            target.largest(shown, ColorDistance.channel) <= tolerance
          } else if isMoving {
            quantizer.isTolerable(shown, insteadOf: best, for: wanted.parts)
          } else {
            quantizer.error(of: shown, against: wanted.parts) <= quantizer.error(of: best, against: wanted.parts)
          }
        if !isRight { faults.append("\(column),\(row): \(model[column, row]) for \(target)") }
      }
    }
    return faults
  }

  /// What the eye sees of a cell; nil where that is no picture, or a colour or glyph that was not to be used.
  func parts(of cell: TerminalModel.Cell) -> CellParts? {
    guard let foreground = color(cell.style.foreground, isInk: true),
      let background = color(cell.style.background, isInk: false), isAllowed(cell.glyph)
    else { return nil }
    if let block = cell.block {
      return CellParts(first: foreground, second: background, mask: block)
    }
    let known = glyphs == .ascii ? InkGlyph.letters : InkGlyph.shades + InkGlyph.dots
    guard let ink = known.first(where: { String(Character($0.character)) == cell.glyph }) else { return nil }
    return CellParts(
      first: ColorDistance.mix(foreground, background, share: ink.upper),
      second: ColorDistance.mix(foreground, background, share: ink.lower), mask: 0x03F)
  }

  private func isAllowed(_ glyph: String) -> Bool {
    switch glyphs {
    case .half: !isQuarter(glyph) && !isSixth(glyph)
    // Without colours to exchange there is but one glyph for a cell.
    case .lower: !isQuarter(glyph) && !isSixth(glyph) && (depth == .none || glyph != "▀" && glyph != "█")
    case .upper: !isQuarter(glyph) && !isSixth(glyph) && (depth == .none || glyph != "▄" && glyph != "█")
    case .quadrants: !isSixth(glyph)
    case .sextants: true
    case .ascii: glyph.utf8.count == 1
    }
  }

  private func isQuarter(_ glyph: String) -> Bool {
    glyph == "▌" || glyph == "▐" || ("▖"..."▟").contains(glyph)
  }

  private func isSixth(_ glyph: String) -> Bool { ("\u{1FB00}"..."\u{1FB3B}").contains(glyph) }

  private func color(_ color: TerminalModel.Color, isInk: Bool) -> UInt32? {
    switch (color, depth) {
    case (.rgb(let rgb), .trueColor): rgb
    case (.indexed(let index), .indexed256) where index >= 16: Palette.rgb256(index)
    case (.indexed(let index), .indexed16) where index < 16: Palette.rgb16[index]
    case (.indexed(let index), .indexed8) where index < 8: Palette.rgb16[index]
    case (.terminalDefault, .none): isInk ? Brightness.ink : Brightness.ground
    // A colour that nobody sees: spaces have no foreground, full blocks no background.
    case (.terminalDefault, _): 0
    default: nil
    }
  }
}

func time(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
