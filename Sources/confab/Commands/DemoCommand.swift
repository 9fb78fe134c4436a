import Conference
import ConferenceClient
import Foundation
import Media
import RTCCore
import Transport

enum DemoCommand: Command {
  static let name = "demo"
  static let synopsis = "[options]"
  static let summary = "A live room with synthetic people, its server, and the viewer, all in one."
  static let flags =
    [Flag("--participants", "N", "people in the room besides you, 1 to 12 (6)")] + ViewingFlags.flags
    + [Flag("--verbose", nil, "log what happens in the room")]

  private static let room = "demo"

  static func run(_ options: Options) async throws -> Int32 {
    let startedAt = NetworkActor.now
    guard options.words.isEmpty else { throw UsageError("demo takes options only, not “\(options.words[0])”.") }
    let count = try options.number("--participants", in: 1...Person.cast.count) ?? 6
    let viewing = try ViewingFlags(options)
    let log = Log(isVerbose: options.has("--verbose"))
    let server = try await EmbeddedServer.startAnywhere(log: log)
    let credentials = Credentials(key: server.key, secret: server.secret)
    let people = try await DemoPeople(count: count, url: server.url, room: room, credentials: credentials)
    let company = Task { await people.live() }
    defer { company.cancel() }
    let token = try AccessTokenMint.make(
      room: room, identity: "you", name: "You", canPublish: false, credentials: credentials)
    let joined = try await RoomConnection.join(url: server.url, token: token)
    let code = try await viewing.show(joined, startedAt: startedAt)
    company.cancel()
    await people.leave()
    await server.stop()
    return code
  }
}

/// The people of the demo, and the conversation that they have.
@NetworkActor
private final class DemoPeople {
  private let people: [SyntheticParticipant]
  private var conversation: Conversation

  /// How often the conversation is looked at; turns are taken within seconds.
  private static let step = Duration.milliseconds(100)

  init(count: Int, url: String, room: String, credentials: Credentials) throws(ConferenceError) {
    var people: [SyntheticParticipant] = []
    for person in Person.cast.prefix(count) {
      let token = try AccessTokenMint.make(
        room: room, identity: person.identity, name: person.name, canSubscribe: false, credentials: credentials)
      people.append(SyntheticParticipant(person, url: url, token: token))
    }
    self.people = people
    conversation = Conversation(people: count, seed: UInt64.random(in: .min ... .max))
  }

  func live() async {
    let start = NetworkActor.now
    while !Task.isCancelled {
      let behaviours = conversation.behaviours(at: NetworkActor.now - start)
      for (person, behaviour) in zip(people, behaviours) {
        Task { @NetworkActor in try? await person.follow(behaviour) }
      }
      try? await Task.sleep(for: Self.step)
    }
  }

  func leave() { for person in people { person.leave() } }
}
