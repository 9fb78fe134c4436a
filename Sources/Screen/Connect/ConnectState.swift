public import RTCCore

/// What is asked for on the connect screen.
public enum ConnectField: Hashable, Sendable {
  case address
  /// Never shown; `@FILE` stands for the content of a file.
  case token
  case room
  case identity
}

/// How the person gets in.
public enum Admission: Equatable, Sendable {
  /// As typed: a token, or `@FILE`.
  case token(String)
  /// A token is to be made with the key at hand.
  case identity(String, room: String)
}

/// The wish to join a room.
public struct ConnectRequest: Equatable, Sendable {
  public var address: String
  public var admission: Admission
  /// The room that a token must be for; nil when any will do.
  public var expectedRoom: String?

  public init(address: String, admission: Admission, expectedRoom: String? = nil) {
    self.address = address
    self.admission = admission
    self.expectedRoom = expectedRoom
  }
}

/// Something that the person is told on the connect screen.
public struct ConnectNotice: Equatable, Sendable {
  public enum Kind: Equatable, Sendable { case information, failure }

  public var kind: Kind
  public var text: SanitizedText

  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = SanitizedText(text)
  }
}

/// Everything about the connect screen.
public struct ConnectState: Sendable {
  /// Where keys go.
  public enum Focus: Hashable, Sendable {
    case field(ConnectField)
    case button
    /// A room in the list, counted from the top.
    case room(Int)
  }

  public enum Phase: Equatable, Sendable {
    case editing
    case joining(since: MonotonicTime)
    /// The room that was shown is being left.
    case leaving
  }

  public internal(set) var columns: Int
  public internal(set) var rows: Int
  /// The fields, from the top.
  public internal(set) var fields: [ConnectField]
  public internal(set) var entries: [ConnectField: TextEntry]
  public internal(set) var focus: Focus
  public internal(set) var phase = Phase.editing
  public internal(set) var notice: ConnectNotice?
  public internal(set) var known: [KnownRoom] = []
  /// The first room of the list that is seen.
  public internal(set) var firstRoom = 0
  public internal(set) var now = MonotonicTime.zero
  /// Seconds since 1970.
  public internal(set) var unixTime: Int64 = 0
  /// Grows whenever the screen is to be drawn anew.
  public internal(set) var revision: UInt64 = 0

  /// What is known already goes into the fields.
  ///
  /// - Parameter hasKey: tokens can be made here, so that room and identity are asked for instead of one.
  public init(
    columns: Int = 80, rows: Int = 24, hasKey: Bool = false, address: String = "", token: String = "",
    room: String = "", identity: String = ""
  ) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    fields = hasKey ? [.address, .room, .identity] : [.address, .token]
    entries = [
      .address: TextEntry(limit: Self.limit(of: .address)),
      .token: TextEntry(token, limit: Self.limit(of: .token)),
      .room: TextEntry(room, limit: Self.limit(of: .room)),
      .identity: TextEntry(identity, limit: Self.limit(of: .identity)),
    ]
    focus = .field(.address)
    fill(from: Invitation(address), else: address, in: .address)
    focus = fields.first { self[$0].isEmpty }.map { .field($0) } ?? .button
  }

  public subscript(field: ConnectField) -> TextEntry {
    get { entries[field] ?? TextEntry(limit: Self.limit(of: field)) }
    set { entries[field] = newValue }
  }

  /// Servers take tokens of several thousand characters when there is much to say about somebody.
  private static func limit(of field: ConnectField) -> Int {
    switch field {
    case .address: 2_048
    case .token: 8_192
    case .room, .identity: 256
    }
  }

  /// Puts an address and a token where they belong, or else the plain text into a field, at its cursor.
  mutating func fill(from invitation: Invitation, else text: String, in field: ConnectField) {
    let address = invitation.address
    let token = invitation.token
    guard token != nil || (address != nil && invitation.isWhole) else {
      // Lines that were broken on the way are whole again; a file may have spaces in its name.
      let isOneWord = [.address, .token].contains(field) && !text.hasPrefix("@")
      return self[field].insert(isOneWord ? String(text.filter { !$0.isWhitespace }) : text)
    }
    if let address { self[.address].set(address) }
    if let token {
      self[.token].set(token)
      fields = [.address, .token]
    }
  }
}
