/// A small terminal: executes the control sequences that our output uses (ECMA-48, xterm) on a screen of cells, so that
/// tests can compare what a person would see with what was meant.
///
/// What it does not know is kept in ``unknown`` instead of being ignored: tests expect that to stay empty.
public struct TerminalModel {
  /// A colour as it was selected.
  public enum Color: Hashable, Sendable {
    case terminalDefault
    case rgb(UInt32)
    case indexed(Int)
  }

  /// Colours and attributes of what is printed next.
  public struct Style: Hashable, Sendable {
    public var foreground = Color.terminalDefault
    public var background = Color.terminalDefault
    public var isBold = false
    public var isDim = false
    public var isUnderlined = false
    public var isReverse = false

    public init() {}
  }

  public struct Cell: Hashable, Sendable {
    /// Empty in the right half of a wide glyph.
    public var glyph = " "
    public var style = Style()

    /// The twelfths of the cell that a block glyph has in its foreground, two beside and six above one another, row by
    /// row from bit 0; nil for glyphs that are no blocks.
    public var block: UInt16? { TerminalModel.blocks[glyph] }
  }

  /// A sequence that holds text of its own.
  public struct ControlString: Hashable, Sendable {
    /// `P` or `_`.
    public let introducer: Character
    public let body: [UInt8]
    /// Where the cursor stood.
    public let column: Int
    public let row: Int
  }

  public let columns: Int
  public let rows: Int
  public private(set) var cells: [Cell]
  public private(set) var cursorColumn = 0
  public private(set) var cursorRow = 0
  public private(set) var style = Style()
  /// The alternate screen is shown.
  public private(set) var isAlternate = false
  public private(set) var isCursorVisible = true
  /// Private modes (`CSI ? n h`) that are set.
  public private(set) var modes: Set<Int> = []
  /// Sequences that the model does not know, as text.
  public private(set) var unknown: [String] = []
  /// Device control strings (`ESC P`) and application program commands (`ESC _`) so far, for ``GraphicsModel``.
  public private(set) var controlStrings: [ControlString] = []
  /// Status reports that were asked for (`CSI 5 n`).
  public private(set) var statusReportsWanted = 0
  /// How often the screen was scrolled; a full-screen program must not.
  public private(set) var scrolls = 0

  private var waitsToWrap = false
  /// Printing shifts what follows on the row (mode 4).
  private var inserts = false
  private var saved = (column: 0, row: 0, style: Style())
  private var otherScreen: [Cell]
  private var lastGlyph: String?
  private var input: [UInt8] = []

  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Cell(), count: columns * rows)
    otherScreen = cells
  }

  public subscript(column: Int, row: Int) -> Cell { cells[row * columns + column] }

  /// The glyphs of a row.
  public func text(row: Int) -> String {
    cells[(row * columns)..<((row + 1) * columns)].map(\.glyph).joined()
  }

  private static let blocks: [String: UInt16] = {
    /// Spreads a mask of two beside and `count` above one another over six rows.
    func spread(_ mask: Int, rows count: Int) -> UInt16 {
      (0..<12).reduce(0) { result, twelfth in
        let bit = twelfth / 2 * count / 6 * 2 + twelfth % 2
        return mask >> bit & 1 == 1 ? result | 1 << UInt16(twelfth) : result
      }
    }
    var blocks: [String: UInt16] = [" ": 0, "█": 0xFFF, "▀": 0x03F, "▄": 0xFC0, "▌": 0x555, "▐": 0xAAA]
    for (glyph, mask) in ["▘": 1, "▝": 2, "▖": 4, "▗": 8, "▛": 7, "▚": 9, "▞": 6, "▜": 11, "▙": 13, "▟": 14] {
      blocks[glyph] = spread(mask, rows: 2)
    }
    // U+1FB00…1FB3B are the sextants in the order of their masks, without the halves and the whole.
    var next: UInt32 = 0x1FB00
    for mask in 1..<63 where mask != 0b010101 && mask != 0b101010 {
      if let scalar = Unicode.Scalar(next) { blocks[String(Character(scalar))] = spread(mask, rows: 3) }
      next += 1
    }
    return blocks
  }()

  /// Executes bytes; a sequence that is cut off is kept for the next call.
  public mutating func execute(_ bytes: some Sequence<UInt8>) {
    input.append(contentsOf: bytes)
    var position = 0
    while position < input.count, let length = step(at: position) { position += length }
    input.removeFirst(position)
  }

  /// Executes what is at `position`; nil when it is not whole yet.
  private mutating func step(at position: Int) -> Int? {
    let byte = input[position]
    switch byte {
    case 0x1B: return escape(at: position)
    case 0x08: move(column: cursorColumn - 1, row: cursorRow)
    case 0x09: move(column: (cursorColumn / 8 + 1) * 8, row: cursorRow)
    case 0x0A: lineFeed()
    case 0x0D: move(column: 0, row: cursorRow)
    case 0x0F: break
    case 0x20...0x7E: put(String(UnicodeScalar(byte)))
    case 0xC2...0xF4:
      let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      guard position + length <= input.count else { return nil }
      put(String(decoding: input[position..<(position + length)], as: UTF8.self))
      return length
    default: unknown.append("byte \(byte)")
    }
    return 1
  }

  private mutating func escape(at position: Int) -> Int? {
    guard position + 1 < input.count else { return nil }
    switch input[position + 1] {
    case UInt8(ascii: "["): return controlSequence(at: position)
    case UInt8(ascii: "P"), UInt8(ascii: "_"): return controlString(at: position)
    case UInt8(ascii: "("):
      guard position + 2 < input.count else { return nil }
      if input[position + 2] != UInt8(ascii: "B") { unknown.append("ESC ( \(input[position + 2])") }
      return 3
    case UInt8(ascii: "7"): saved = (cursorColumn, cursorRow, style)
    case UInt8(ascii: "8"):
      move(column: saved.column, row: saved.row)
      style = saved.style
    case UInt8(ascii: "="), UInt8(ascii: ">"): break
    case UInt8(ascii: "M"): move(column: cursorColumn, row: cursorRow - 1)
    default: unknown.append("ESC \(UnicodeScalar(input[position + 1]))")
    }
    return 2
  }

  private mutating func controlString(at position: Int) -> Int? {
    var end = position + 2
    while end + 1 < input.count, input[end] != 0x1B { end += 1 }
    guard end + 1 < input.count else { return nil }
    let string = ControlString(
      introducer: Character(UnicodeScalar(input[position + 1])), body: Array(input[(position + 2)..<end]),
      column: cursorColumn, row: cursorRow)
    if input[end + 1] == UInt8(ascii: "\\") {
      controlStrings.append(string)
    } else {
      unknown.append("a string broken off by ESC \(input[end + 1])")
    }
    return end + 2 - position
  }

  private mutating func controlSequence(at position: Int) -> Int? {
    guard let end = input[(position + 2)...].firstIndex(where: { $0 >= 0x40 }) else { return nil }
    let body = String(decoding: input[(position + 2)..<end], as: UTF8.self)
    let isPrivate = body.hasPrefix("?")
    let parameters = body.drop { $0 == "?" }.split(separator: ";", omittingEmptySubsequences: false).map {
      Int($0) ?? 0
    }
    let final = Character(UnicodeScalar(input[end]))
    if isPrivate {
      setModes(parameters, final: final, body: body)
    } else if final == "m" {
      select(parameters, body: body)
    } else {
      perform(final, parameters, body: body)
    }
    return end - position + 1
  }

  private mutating func perform(_ final: Character, _ parameters: [Int], body: String) {
    let first = parameters.first ?? 0
    let count = max(1, first)
    let start = cursorRow * columns
    switch final {
    case "A": move(column: cursorColumn, row: cursorRow - count)
    case "B": move(column: cursorColumn, row: cursorRow + count)
    case "C": move(column: cursorColumn + count, row: cursorRow)
    case "D": move(column: cursorColumn - count, row: cursorRow)
    case "G": move(column: count - 1, row: cursorRow)
    case "d": move(column: cursorColumn, row: count - 1)
    case "H", "f": move(column: max(1, parameters.count > 1 ? parameters[1] : 1) - 1, row: count - 1)
    case "Z": move(column: (cursorColumn - 1) / 8 * 8, row: cursorRow)
    case "J":
      switch first {
      case 0: erase((start + cursorColumn)..<cells.count)
      case 1: erase(0..<(start + cursorColumn + 1))
      default: erase(0..<cells.count)
      }
    case "K":
      switch first {
      case 0: erase((start + cursorColumn)..<(start + columns))
      case 1: erase(start..<(start + cursorColumn + 1))
      default: erase(start..<(start + columns))
      }
    case "X": erase((start + cursorColumn)..<(start + min(columns, cursorColumn + count)))
    case "b": for _ in 0..<count { if let lastGlyph { put(lastGlyph) } }
    case "t": break
    case "r": if !body.isEmpty, parameters != [1, rows] { unknown.append("CSI \(body)r") }
    case "@": insert(count)
    // A status report, which a terminal answers and which shows nothing.
    case "n" where parameters == [5]: statusReportsWanted += 1
    case "l", "h":
      switch parameters {
      case [4]: inserts = final == "h"
      case [34]: break
      default: unknown.append("CSI \(body)\(final)")
      }
    default: unknown.append("CSI \(body)\(final)")
    }
  }

  private mutating func setModes(_ parameters: [Int], final: Character, body: String) {
    guard final == "h" || final == "l" else {
      unknown.append("CSI \(body)\(final)")
      return
    }
    for mode in parameters {
      if final == "h" { modes.insert(mode) } else { modes.remove(mode) }
      switch mode {
      case 25: isCursorVisible = final == "h"
      case 1049 where isAlternate != (final == "h"):
        isAlternate.toggle()
        swap(&cells, &otherScreen)
        if isAlternate { erase(0..<cells.count) }
      default: break
      }
    }
  }

  private mutating func select(_ parameters: [Int], body: String) {
    var rest = parameters[...]
    while let parameter = rest.popFirst() {
      switch parameter {
      case 0: style = Style()
      case 1: style.isBold = true
      case 2: style.isDim = true
      case 4: style.isUnderlined = true
      case 7: style.isReverse = true
      case 10: break
      case 22: (style.isBold, style.isDim) = (false, false)
      case 24: style.isUnderlined = false
      case 27: style.isReverse = false
      case 30...37: style.foreground = .indexed(parameter - 30)
      case 40...47: style.background = .indexed(parameter - 40)
      case 39: style.foreground = .terminalDefault
      case 49: style.background = .terminalDefault
      case 90...97: style.foreground = .indexed(parameter - 82)
      case 100...107: style.background = .indexed(parameter - 92)
      case 38, 48:
        guard let color = Self.color(from: &rest) else {
          unknown.append("CSI \(body)m")
          return
        }
        if parameter == 38 { style.foreground = color } else { style.background = color }
      default: unknown.append("CSI \(body)m")
      }
    }
  }

  /// `5;n` or `2;r;g;b`.
  private static func color(from parameters: inout ArraySlice<Int>) -> Color? {
    switch parameters.popFirst() {
    case 5: return parameters.popFirst().flatMap { (0...255).contains($0) ? .indexed($0) : nil }
    case 2:
      guard let red = parameters.popFirst(), let green = parameters.popFirst(), let blue = parameters.popFirst(),
        [red, green, blue].allSatisfy((0...255).contains)
      else { return nil }
      return .rgb(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
    default: return nil
    }
  }

  private mutating func put(_ glyph: String) {
    if waitsToWrap {
      cursorColumn = 0
      lineFeed()
    }
    let width = Self.isWide(glyph) ? 2 : 1
    if inserts { insert(width) }
    let index = cursorRow * columns + cursorColumn
    cells[index] = Cell(glyph: glyph, style: style)
    if width == 2, cursorColumn + 1 < columns { cells[index + 1] = Cell(glyph: "", style: style) }
    lastGlyph = glyph
    waitsToWrap = cursorColumn + width >= columns
    cursorColumn = min(cursorColumn + width, columns - 1)
  }

  private static func isWide(_ glyph: String) -> Bool {
    guard let value = glyph.unicodeScalars.first?.value else { return false }
    return (0x1100...0x115F).contains(value) || (0x2E80...0xA4CF).contains(value) || (0xAC00...0xD7A3).contains(value)
      || (0xF900...0xFAFF).contains(value) || (0xFF00...0xFF60).contains(value) || (0x1F300...0x1FAFF).contains(value)
  }

  private mutating func lineFeed() {
    waitsToWrap = false
    guard cursorRow == rows - 1 else {
      cursorRow += 1
      return
    }
    scrolls += 1
    cells.removeFirst(columns)
    cells.append(contentsOf: repeatElement(blank, count: columns))
  }

  private mutating func insert(_ count: Int) {
    let start = cursorRow * columns + cursorColumn
    let end = (cursorRow + 1) * columns
    for _ in 0..<min(count, end - start) {
      cells.insert(blank, at: start)
      cells.remove(at: end)
    }
  }

  private mutating func move(column: Int, row: Int) {
    cursorColumn = min(max(0, column), columns - 1)
    cursorRow = min(max(0, row), rows - 1)
    waitsToWrap = false
  }

  /// Erased cells keep the selected background (`bce`).
  private var blank: Cell {
    var erased = Style()
    erased.background = style.background
    return Cell(style: erased)
  }

  private mutating func erase(_ range: Range<Int>) {
    for index in range { cells[index] = blank }
    waitsToWrap = false
  }
}
