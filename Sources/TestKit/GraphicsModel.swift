public import Screen

/// What a terminal with graphics shows after the control strings that a ``TerminalModel`` met: Kitty's commands and
/// sixels, decoded again into pixels.
public struct GraphicsModel {
  /// A picture of Kitty's protocol that is placed on the screen.
  public struct Placement: Equatable, Sendable {
    public let area: CellRect
    public let width: Int
    public let height: Int
    /// 0xAARRGGBB, row by row.
    public let pixels: [UInt32]
  }

  /// Kitty's pictures by their number.
  public private(set) var placements: [Int: Placement] = [:]
  /// What sixels drew: 0x00RRGGBB, nil where nothing was drawn; row by row over the whole screen.
  public private(set) var canvas: [UInt32?]
  public let canvasWidth: Int
  /// What was not understood, or is not allowed.
  public private(set) var faults: [String] = []

  private let cell: PixelDensity
  private var transfer: (keys: [String: String], payload: [UInt8], column: Int, row: Int)?

  /// - Parameter cell: pixels of a cell, which sixels are measured by.
  public init(columns: Int, rows: Int, cell: PixelDensity) {
    self.cell = cell
    canvasWidth = columns * cell.columns
    canvas = Array(repeating: nil, count: canvasWidth * rows * cell.rows)
  }

  public mutating func execute(_ strings: some Sequence<TerminalModel.ControlString>) {
    for string in strings {
      if string.introducer == "_" { kitty(string) } else { sixels(string) }
    }
  }

  // MARK: Kitty

  private mutating func kitty(_ string: TerminalModel.ControlString) {
    guard string.body.first == UInt8(ascii: "G") else { return faults.append("an unknown command") }
    let parts = string.body.dropFirst().split(separator: UInt8(ascii: ";"), maxSplits: 1)
    var keys: [String: String] = [:]
    for pair in String(decoding: parts.first ?? [], as: UTF8.self).split(separator: ",") {
      let sides = pair.split(separator: "=").map(String.init)
      if sides.count == 2 { keys[sides[0]] = sides[1] } else { faults.append("key \(pair)") }
    }
    let payload = parts.count > 1 ? Array(parts[1]) : []
    if payload.count > 4096 || keys["m"] == "1" && payload.count % 4 != 0 {
      faults.append("\(payload.count) bytes at once")
    }
    if keys["a"] == "d" { return delete(keys) }
    if transfer != nil {
      transfer?.payload += payload
    } else if keys["a"] == nil {
      // A last piece of nothing, sent in case that something was cut off.
      if !payload.isEmpty { faults.append("pieces of no picture") }
      return
    } else {
      if keys["a"] != "T" || keys["q"] != "2" || keys["C"] != "1" { faults.append("command \(keys)") }
      transfer = (keys, payload, string.column, string.row)
    }
    if keys["m"] != "1" { finishTransfer() }
  }

  private mutating func delete(_ keys: [String: String]) {
    switch keys["d"] {
    case "A": placements = [:]
    case "I":
      let number = Int(keys["i"] ?? "")
      if number.flatMap({ placements.removeValue(forKey: $0) }) == nil { faults.append("nothing to delete: \(keys)") }
    default: faults.append("deletion \(keys)")
    }
  }

  private mutating func finishTransfer() {
    guard let (keys, payload, column, row) = transfer else { return }
    transfer = nil
    func number(_ key: String) -> Int { Int(keys[key] ?? "") ?? 0 }
    let channels = number("f") / 8
    let bytes = Self.base64(payload)
    guard channels == 3 || channels == 4, bytes.count == number("s") * number("v") * channels else {
      return faults.append("\(bytes.count) bytes for \(keys)")
    }
    let pixels = stride(from: 0, to: bytes.count, by: channels).map { at -> UInt32 in
      let color = UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2])
      return color | UInt32(channels == 4 ? bytes[at + 3] : 255) << 24
    }
    placements[number("i")] = Placement(
      area: CellRect(column: column, row: row, columns: number("c"), rows: number("r")), width: number("s"),
      height: number("v"), pixels: pixels)
  }

  private static func base64(_ text: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for value in text.compactMap({ alphabet.firstIndex(of: $0) }) {
      bits = bits << 6 | value
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }

  // MARK: Sixels

  private mutating func sixels(_ string: TerminalModel.ControlString) {
    guard let start = string.body.firstIndex(of: UInt8(ascii: "q")) else { return faults.append("an unknown string") }
    if string.body[..<start] != Array("0;1".utf8)[...] { faults.append("sixel parameters") }
    let origin = (x: string.column * cell.columns, y: string.row * cell.rows)
    var reader = SixelReader(string.body[(start + 1)...])
    while let (x, y, color) = reader.next() {
      let place = (origin.y + y) * canvasWidth + origin.x + x
      guard origin.x + x < canvasWidth, canvas.indices.contains(place) else {
        faults.append("a pixel off the screen")
        return
      }
      if x >= reader.width || y >= reader.height { faults.append("a pixel outside of the picture") }
      canvas[place] = color
    }
    faults += reader.faults
  }
}

/// Reads sixels pixel by pixel.
private struct SixelReader {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var faults: [String] = []
  private var rest: ArraySlice<UInt8>
  private var colors: [Int: UInt32] = [:]
  private var color: UInt32 = 0
  private var x = 0
  private var band = 0
  private var pending: [(x: Int, y: Int, color: UInt32)] = []

  init(_ body: ArraySlice<UInt8>) { rest = body }

  mutating func next() -> (x: Int, y: Int, color: UInt32)? {
    while pending.isEmpty, let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        let values = numbers()
        if values.count == 4, values[0] == values[1] { (width, height) = (values[2], values[3]) }
      case UInt8(ascii: "#"): select(numbers())
      case UInt8(ascii: "$"): x = 0
      case UInt8(ascii: "-"):
        x = 0
        band += 1
      case UInt8(ascii: "!"):
        let count = numbers().first ?? 0
        if let sixel = rest.popFirst() { draw(sixel, count: count) }
      default: draw(byte, count: 1)
      }
    }
    return pending.popLast()
  }

  private mutating func draw(_ sixel: UInt8, count: Int) {
    guard (0x3F...0x7E).contains(sixel) else { return faults.append("sixel \(sixel)") }
    let bits = sixel - 0x3F
    for _ in 0..<count {
      for line in 0..<6 where bits >> line & 1 == 1 { pending.append((x, band * 6 + line, color)) }
      x += 1
    }
  }

  private mutating func select(_ values: [Int]) {
    guard let register = values.first else { return faults.append("a colour without a number") }
    if values.count == 5, values[1] == 2 {
      // Some terminals select what is defined, xterm does not.
      colors[register] = values[2...].reduce(0) { $0 << 8 | UInt32(($1 * 255 + 50) / 100) }
      return
    }
    if let known = colors[register] { color = known } else { faults.append("colour \(register) is not defined") }
  }

  private mutating func numbers() -> [Int] {
    var text = ""
    while let byte = rest.first, (0x30...0x39).contains(byte) || byte == UInt8(ascii: ";") {
      text.unicodeScalars.append(UnicodeScalar(byte))
      rest.removeFirst()
    }
    return text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
  }
}
