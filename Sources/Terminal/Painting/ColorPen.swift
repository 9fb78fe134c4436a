/// Writes colours, knowing which ones the terminal already has selected.
///
/// Colours are 0xRRGGBB as the terminal shows them; in a palette's depth they are its entries. A control sequence that
/// sets both colours at once is shorter than two; one that sets what is set already is not sent at all. ``none`` stands
/// for "unknown" as a selected colour and for "do not care" as a wanted one.
struct ColorPen {
  static let none = UInt32.max

  let depth: ColorDepth
  private(set) var foreground: UInt32
  private(set) var background: UInt32

  /// More than any glyph costs: without colours only what is selected can be drawn with.
  private static let impossible = 1_000

  init(depth: ColorDepth) {
    self.depth = depth
    foreground = depth == .none ? Brightness.ink : Self.none
    background = depth == .none ? Brightness.ground : Self.none
  }

  /// Bytes of ``select(foreground:background:into:)`` for the same arguments.
  func cost(foreground wanted: UInt32, background wantedBackground: UInt32) -> Int {
    let first = wanted != Self.none && wanted != foreground ? cost(of: wanted, isBackground: false) : 0
    let second =
      wantedBackground != Self.none && wantedBackground != background
      ? cost(of: wantedBackground, isBackground: true) : 0
    if first == 0 && second == 0 { return 0 }
    return 3 + first + second + (first != 0 && second != 0 ? 1 : 0)
  }

  mutating func select(foreground wanted: UInt32, background wantedBackground: UInt32, into buffer: inout ByteBuffer) {
    let first = wanted != Self.none && wanted != foreground
    let second = wantedBackground != Self.none && wantedBackground != background
    guard first || second, depth != .none else { return }
    buffer.append("\u{1B}[")
    if first {
      write(wanted, isBackground: false, into: &buffer)
      foreground = wanted
      if second { buffer.append(UInt8(ascii: ";")) }
    }
    if second {
      write(wantedBackground, isBackground: true, into: &buffer)
      background = wantedBackground
    }
    buffer.append(UInt8(ascii: "m"))
  }

  private func cost(of color: UInt32, isBackground: Bool) -> Int {
    func digits(_ channel: UInt32) -> Int { channel >= 100 ? 3 : channel >= 10 ? 2 : 1 }
    switch depth {
    case .trueColor: return 7 + digits(color >> 16 & 255) + digits(color >> 8 & 255) + digits(color & 255)
    case .indexed256: return 5 + digits(Palette.nearest256(color))
    // The bright ones are 90…97 and 100…107.
    case .indexed16: return isBackground && Palette.nearest16(color) >= 8 ? 3 : 2
    case .indexed8: return 2
    case .none: return Self.impossible
    }
  }

  private func write(_ color: UInt32, isBackground: Bool, into buffer: inout ByteBuffer) {
    switch depth {
    case .trueColor:
      // Semicolons, not the colons of ISO 8613-6: more terminals understand them.
      buffer.append(isBackground ? "48;2;" : "38;2;")
      buffer.append(channel: color >> 16)
      buffer.append(UInt8(ascii: ";"))
      buffer.append(channel: color >> 8)
      buffer.append(UInt8(ascii: ";"))
      buffer.append(channel: color)
    case .indexed256:
      buffer.append(isBackground ? "48;5;" : "38;5;")
      buffer.append(channel: Palette.nearest256(color))
    case .indexed16:
      let index = Int(Palette.nearest16(color))
      buffer.append(decimal: (isBackground ? 40 : 30) + (index < 8 ? index : 60 + index - 8))
    case .indexed8: buffer.append(decimal: (isBackground ? 40 : 30) + Int(Palette.nearest8(color)))
    case .none: break
    }
  }
}
