/// Reads server-sent events (HTML, §9.2.6) from text that comes in pieces.
struct EventStream: Sendable {
  struct Event: Equatable, Sendable {
    var name: String
    var data: String
  }

  /// Bytes of one event; longer ones are left out. A list of layers has some hundred.
  private static let maximumEvent = 1 << 16

  private var line: [UInt8] = []
  private var name = ""
  private var data: [String] = []
  private var size = 0
  private var lastWasReturn = false
  /// An event that is too long was begun.
  private var isOverlong = false

  /// The events that are complete with this piece.
  mutating func read(_ piece: String) -> [Event] {
    var events: [Event] = []
    for byte in piece.utf8 {
      let isEnd = byte == 0x0A || byte == 0x0D
      // CR LF is one end of line.
      if byte == 0x0A, lastWasReturn {
        lastWasReturn = false
        continue
      }
      lastWasReturn = byte == 0x0D
      guard isEnd else {
        size += 1
        if size > Self.maximumEvent { isOverlong = true } else { line.append(byte) }
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line = [] }
    guard !line.isEmpty else { return endEvent() }
    let text = String(decoding: line, as: UTF8.self)
    guard !text.hasPrefix(":") else { return nil }
    let colon = text.firstIndex(of: ":") ?? text.endIndex
    var value = text[colon...].dropFirst()
    if value.first == " " { value = value.dropFirst() }
    switch text[..<colon] {
    case "event": name = String(value)
    case "data": data.append(String(value))
    default: break
    }
    return nil
  }

  private mutating func endEvent() -> Event? {
    defer { (name, data, size, isOverlong) = ("", [], 0, false) }
    guard !data.isEmpty, !isOverlong else { return nil }
    return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
  }
}
