/// Writes colours, knowing which ones the terminal already has selected.
///
/// A control sequence that sets both colours at once is shorter than two; one that sets what is set already is not
/// sent at all. `none` stands for "unknown" as a selected colour and for "do not care" as a wanted one.
struct ColorPen {
  static let none = UInt32.max

  let depth: ColorDepth
  private(set) var foreground = ColorPen.none
  private(set) var background = ColorPen.none

  init(depth: ColorDepth) { self.depth = depth }

  /// Bytes of ``select(foreground:background:into:)`` for the same arguments.
  func cost(foreground wanted: UInt32, background wantedBackground: UInt32) -> Int {
    let first = wanted != Self.none && wanted != foreground ? cost(of: wanted) : 0
    let second = wantedBackground != Self.none && wantedBackground != background ? cost(of: wantedBackground) : 0
    if first == 0 && second == 0 { return 0 }
    return 3 + first + second + (first != 0 && second != 0 ? 1 : 0)
  }

  mutating func select(foreground wanted: UInt32, background wantedBackground: UInt32, into buffer: inout ByteBuffer) {
    let first = wanted != Self.none && wanted != foreground
    let second = wantedBackground != Self.none && wantedBackground != background
    guard first || second else { return }
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

  private func cost(of color: UInt32) -> Int {
    func digits(_ channel: UInt32) -> Int { channel >= 100 ? 3 : channel >= 10 ? 2 : 1 }
    return switch depth {
    case .trueColor: 7 + digits(color >> 16 & 255) + digits(color >> 8 & 255) + digits(color & 255)
    case .indexed256: 5 + digits(color)
    case .indexed16: 2
    case .indexed8: 2
    case .none: 0
    }
  }

  private func write(_ color: UInt32, isBackground: Bool, into buffer: inout ByteBuffer) {
    switch depth {
    case .trueColor:
      // Semicolons, not the colons of ISO 8613-6: more terminals understand them.
      buffer.append(isBackground ? "48;2;" : "38;2;")
      buffer.append(decimal: Int(color >> 16 & 255))
      buffer.append(UInt8(ascii: ";"))
      buffer.append(decimal: Int(color >> 8 & 255))
      buffer.append(UInt8(ascii: ";"))
      buffer.append(decimal: Int(color & 255))
    case .indexed256:
      buffer.append(isBackground ? "48;5;" : "38;5;")
      buffer.append(decimal: Int(color))
    case .indexed8:
      buffer.append(isBackground ? "4" : "3")
      buffer.append(decimal: Int(color & 7))
    case .indexed16, .none: break
    }
  }
}
