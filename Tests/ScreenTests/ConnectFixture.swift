import RTCCore
import Screen

/// A token as servers give them, and everything else that the connect screen is filled with.
enum ConnectFixture {
  static let token =
    "eyJhbGciOiJIUzI1NiJ9.eyJ2aWRlbyI6eyJyb29tIjoibGFiIn0sImlzcyI6ImRldmtleSJ9.c2lnbmF0dXJlLW9mLXNvbWVib2R5"
  static let address = "wss://rooms.example"
  /// The present, in seconds since 1970.
  static let today: Int64 = 1_800_000_000

  static func room(_ name: String, _ address: String = address, ago seconds: Int64 = 0) -> KnownRoom {
    guard let room = KnownRoom(address: address, name: name, joinedAt: today - seconds) else {
      fatalError("not a room: \(address)")
    }
    return room
  }

  static let rooms = [
    room("lab", "ws://127.0.0.1:7880", ago: 130), room("standup", ago: 7_300),
    room("Zürich 会議", "wss://eu.rooms.example/livekit", ago: 90_000),
    room("all hands", "wss://rooms.example", ago: 900_000),
  ]

  static func state(
    columns: Int = 80, rows: Int = 24, hasKey: Bool = false, address: String = "", rooms: [KnownRoom] = []
  ) -> ConnectState {
    var state = ConnectState(columns: columns, rows: rows, hasKey: hasKey, address: address)
    _ = reduce(&state, .tick(.zero + .seconds(5), unixTime: today))
    _ = reduce(&state, .rooms(rooms))
    return state
  }

  static func drawn(_ state: ConnectState, signs: GlyphSet = .unicode) -> CellGrid {
    var grid = CellGrid(columns: state.columns, rows: state.rows)
    draw(state, signs: signs, on: &grid)
    return grid
  }
}

extension ConnectState {
  /// Presses keys and gathers what they ask for.
  @discardableResult
  mutating func press(keys: Key...) -> [ConnectEffect] { keys.flatMap { reduce(&self, .key($0)) } }

  /// Types a text, character by character.
  @discardableResult
  mutating func type(_ text: String) -> [ConnectEffect] { text.flatMap { reduce(&self, .key(.character($0))) } }

  var isJoining: Bool { if case .joining = phase { true } else { false } }
}
