internal import CLinux
internal import CNcurses
internal import Glibc
internal import Screen

/// Turns cells into what ncurses paints: glyph, attributes and a colour pair.
struct ChromeColors {
  /// ncurses runs on a 24-bit ``ScreenEntry``: colours are 0xRRGGBB.
  let isDirect: Bool
  /// Otherwise the palette to choose from.
  let depth: ColorDepth
  /// Colours that ncurses' entry has; below 8 there are none.
  let paletteSize: Int
  /// Pairs that ncurses has.
  private let pairLimit: Int
  /// The pairs made so far, by foreground and background. ncurses' own `alloc_pair` fails once all are in use.
  private var pairs: [UInt64: Int32] = [:]

  init(isDirect: Bool, depth: ColorDepth, paletteSize: Int, pairLimit: Int) {
    self.isDirect = isDirect
    self.depth = depth
    self.paletteSize = paletteSize
    self.pairLimit = pairLimit
  }

  /// A cell did not get its colours, as all pairs are in use.
  private(set) var isExhausted = false

  /// All pairs may be made anew; everything on the screen must then be painted again.
  mutating func forgetPairs() {
    pairs = [:]
    isExhausted = false
  }

  /// What a cell of a picture is to ncurses: a no-break space, which is not blank to it and looks like one.
  private static let standIn = Cell("\u{A0}")

  mutating func character(for cell: Cell) -> cchar_t {
    let cell = cell.plane == .chrome ? cell : Self.standIn
    var text = Self.wideText(cell)
    var result = cchar_t()
    confab_set_cell(&result, &text, attributes(cell.style.attributes), pair(for: cell.style))
    return result
  }

  /// At most five code points, ended by 0. A glyph that the C library would set to another width than the grid, or
  /// not print at all, becomes a question mark: what follows on the row keeps its place.
  static func wideText(_ cell: Cell) -> [wchar_t] {
    let scalars = cell.glyph.unicodeScalars
    var text: [wchar_t] = []
    var width: Int32 = 0
    for scalar in scalars {
      let value = wchar_t(bitPattern: scalar.value)
      let columns = wcwidth(value)
      if columns < 0 || text.isEmpty && columns == 0 {
        return [wchar_t(UInt8(ascii: "?")), 0]
      }
      width += columns
      text.append(value)
    }
    guard text.count <= 5, width == Int32(cell.width) else { return [wchar_t(UInt8(ascii: "?")), 0] }
    text.append(0)
    return text
  }

  private func attributes(_ attributes: CellAttributes) -> attr_t {
    var result: attr_t = 0
    if attributes.contains(.bold) { result |= confab_attribute_bold() }
    if attributes.contains(.dim) { result |= confab_attribute_dim() }
    if attributes.contains(.underline) { result |= confab_attribute_underline() }
    if attributes.contains(.reverse) { result |= confab_attribute_reverse() }
    return result
  }

  private mutating func pair(for style: CellStyle) -> Int32 {
    let foreground = index(of: style.foreground)
    let background = index(of: style.background)
    if foreground < 0 && background < 0 { return 0 }
    let key = UInt64(UInt32(bitPattern: foreground)) << 32 | UInt64(UInt32(bitPattern: background))
    if let pair = pairs[key] { return pair }
    let pair = Int32(pairs.count + 1)
    guard pair < pairLimit, init_extended_pair(pair, foreground, background) == OK else {
      isExhausted = true
      return 0
    }
    pairs[key] = pair
    return pair
  }

  /// ncurses' number of a colour; −1 for the terminal's own.
  func index(of color: CellColor) -> Int32 {
    guard paletteSize >= 8, depth != .none else { return -1 }
    // Where there are only eight, the bright ones are those in bold.
    if let index = color.terminalIndex { return Int32(isDirect || paletteSize >= 16 ? index : index & 7) }
    guard let rgb = color.rgb else { return -1 }
    // Numbers below 16 are the palette's even here; the darkest grey passes for black, as no dark blue would.
    if isDirect { return Int32(rgb < 16 ? 0x010101 : rgb) }
    return Int32(depth != .indexed256 || paletteSize < 256 ? Palette.nearest8(rgb) : Palette.nearest256(rgb))
  }
}
