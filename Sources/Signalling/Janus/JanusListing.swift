import Conference
import RTCCore

/// A room that a server lists, and who is in it.
public struct ListedRoom: Equatable, Sendable {
  public struct Person: Equatable, Sendable {
    /// Display name, else the id; as it came from outside.
    public var name: String
    public var publishes: Bool
  }

  /// What joins it.
  public var id: String
  /// Empty for none; as it came from outside.
  public var title: String
  public var hasPin: Bool
  /// How many may publish at once.
  public var publisherLimit: Int?
  public var people: [Person]
}

/// Asks a Janus server which rooms it has and who is in them, over a session of its own (fact sheet §3).
public struct JanusListing: Sendable {
  public enum Output: Equatable, Sendable {
    case send([UInt8])
    /// The rooms, in the server's order. Nothing follows.
    case finished([ListedRoom])
    /// Why there are none to be had, with a sentence for a person. Nothing follows.
    case refused(ConferenceError.Code, String)
    case wait(until: MonotonicTime?)
  }

  private enum Purpose: Equatable {
    case create, attach, list
    case people(Int)
  }

  /// More rooms than a person reads; the rest is left out.
  private static let maximumRooms = 1_000

  private let credentials: JanusCredentials
  private var requests: JanusRequests<Purpose>
  private var handle: Int64?
  private var rooms: [ListedRoom] = []
  private var ids: [JanusID] = []
  /// Rooms whose people are not known yet.
  private var open = 0
  private var outputs = OutputQueue<Output>()
  private var hasEnded = false

  /// - Parameter timeout: for each answer.
  public init(credentials: JanusCredentials, timeout: Duration = .seconds(10), openedAt: MonotonicTime) {
    self.credentials = credentials
    requests = JanusRequests(credentials: credentials, timeout: timeout)
    send("create", for: .create, at: openedAt)
  }

  // MARK: Inputs

  public mutating func receive(_ message: [UInt8], at now: MonotonicTime) {
    guard !hasEnded else { return }
    guard let value = try? JSONValue(parsing: message), let message = JanusMessage(value) else {
      return end(
        .refused(
          .notAConferenceServer, "What answered does not speak as a Janus server does. Check the address and its path.")
      )
    }
    guard let request = requests.take(message) else { return }
    if let failure = message.failure {
      // A room may have gone between the two questions.
      if case .people = request.purpose { return counted() }
      let refusal = JanusRefusal(failure, during: .connecting, credentials: credentials)
      return end(.refused(refusal.code, refusal.message))
    }
    switch request.purpose {
    case .create:
      requests.session = message.data["id"].integerValue
      send("attach", ["plugin": "janus.plugin.videoroom"], for: .attach, at: now)
    case .attach:
      handle = message.data["id"].integerValue
      ask(["request": "list"], for: .list, at: now)
    case .list: listed(message.data["list"].elements, at: now)
    case .people(let index):
      if rooms.indices.contains(index) {
        rooms[index].people = message.data["participants"].elements.compactMap(ListedRoom.Person.init)
      }
      counted()
    }
  }

  public mutating func connectionClosed(at now: MonotonicTime) {
    end(.refused(.serverUnreachable, "The server closed the connection before it had answered. Try again."))
  }

  public mutating func advance(to now: MonotonicTime) {
    guard !hasEnded, !requests.takeOverdue(at: now).isEmpty else { return }
    end(.refused(.serverUnreachable, "The server took the connection, but does not answer. Try again."))
  }

  /// Call until `.wait`.
  public mutating func pollOutput() -> Output {
    outputs.take() ?? .wait(until: hasEnded ? nil : requests.deadline)
  }

  // MARK: Answers

  private mutating func listed(_ list: [JSONValue], at now: MonotonicTime) {
    for value in list.prefix(Self.maximumRooms) {
      guard let id = JanusID(value["room"]) else { continue }
      ids.append(id)
      rooms.append(
        ListedRoom(
          id: id.description, title: value["description"].textValue ?? "",
          hasPin: value["pin_required"].truthValue == true,
          publisherLimit: value["max_publishers"].integer(in: 0...1_000_000), people: []))
    }
    open = rooms.count
    for (index, id) in ids.enumerated() {
      ask(["request": "listparticipants", "room": id.json], for: .people(index), at: now)
    }
    if rooms.isEmpty { end(.finished([])) }
  }

  private mutating func counted() {
    open -= 1
    if open == 0 { end(.finished(rooms)) }
  }

  // MARK: Outputs

  private mutating func end(_ output: Output) {
    guard !hasEnded else { return }
    if requests.session != nil { send("destroy", for: nil, at: .zero) }
    hasEnded = true
    outputs.append(output)
  }

  private mutating func ask(_ body: [String: JSONValue], for purpose: Purpose, at now: MonotonicTime) {
    send("message", ["body": .object(body)], for: purpose, at: now)
  }

  private mutating func send(
    _ verb: String, _ fields: [String: JSONValue] = [:], for purpose: Purpose?, at now: MonotonicTime
  ) {
    outputs.append(.send(requests.make(verb, fields, handle: handle, for: purpose, at: now)))
  }
}

extension ListedRoom.Person {
  init?(_ value: JSONValue) {
    guard let id = JanusID(value["id"]) else { return nil }
    let name = value["display"].textValue ?? ""
    self.init(name: name.isEmpty ? id.description : name, publishes: value["publisher"].truthValue == true)
  }
}
