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
    [Flag("--participants", "N", "people in the room besides you, 1 to \(Person.cast.count) (6)")] + ViewingFlags.flags
    + [
      Flag("--steady", nil, "nobody leaves, mutes or stops the video (for measuring)"),
      Flag("--verbose", nil, "log what happens; with a screen the end of it is printed when that closes"),
    ]

  private static let room = "demo"

  static func run(_ options: Options) async throws -> Int32 {
    let startedAt = NetworkActor.now
    guard options.words.isEmpty else {
      throw UsageError("demo takes options only, not “\(options.words[0].visibleLine)”.")
    }
    let count = try options.number("--participants", in: 1...Person.cast.count) ?? 6
    let viewing = try ViewingFlags(options)
    let log = Log(isVerbose: options.has("--verbose"))
    let server = try await EmbeddedServer.startAnywhere(log: log)
    let credentials = server.credentials
    if viewing.isHeadless { StandardError.say("the room demo is on \(server.url)") }
    let people = try await DemoPeople(
      count: count, isSteady: options.has("--steady"), url: server.url, room: room, credentials: credentials, log: log)
    let company = Task { await people.live() }
    defer { company.cancel() }
    let token = try AccessTokenMint.make(
      room: room, identity: "you", name: "You", canPublish: false, credentials: credentials)
    let code = try await viewing.show(startedAt: startedAt) { () throws(ConferenceError) in
      try await RoomConnection.join(url: server.url, token: token)
    }
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
  private let isSteady: Bool
  private let log: Log

  /// How often the conversation is looked at; turns are taken within seconds.
  private static let step = Duration.milliseconds(100)

  init(
    count: Int, isSteady: Bool, url: String, room: String, credentials: Credentials, log: Log
  ) throws(ConferenceError) {
    self.isSteady = isSteady
    self.log = log
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
    // One after the other at first, so that tiles always come in the same order.
    for (person, state) in zip(people, conversation.people) { await direct(person, state) }
    let start = NetworkActor.now
    while !Task.isCancelled {
      _ = conversation.advance(to: NetworkActor.now - start)
      for (person, state) in zip(people, conversation.people) {
        Task { @NetworkActor in await direct(person, state) }
      }
      try? await Task.sleep(for: Self.step)
    }
  }

  private func direct(_ person: SyntheticParticipant, _ state: Conversation.State) async {
    var wanted = state
    if isSteady { (wanted.isPresent, wanted.isMuted, wanted.hasVideo) = (true, false, true) }
    do throws(ConferenceError) {
      try await person.follow(wanted)
    } catch {
      log.write("warning", error.message)
    }
  }

  func leave() { for person in people { person.leave() } }
}
