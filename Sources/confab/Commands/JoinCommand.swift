import Conference
import ConferenceClient
import Foundation
import RTCCore
import Terminal
import Transport

enum JoinCommand: Command {
  static let name = "join"
  static let synopsis = "[URL…] [options]"
  static let summary = "Joins a room, or several on one wall, and shows them."
  static let details = """
    Without a URL or a token a screen asks for them. With several URLs a flag is about the URL that it follows, and before the
    first about all. --headless reports JSON lines instead.
    """
  static let flags =
    JoinTarget.flags + ViewingFlags.flags + [
      Flag("--no-video", nil, "receive no video"),
      Flag("--expect-within", "N", "exit 8 unless media was received within N seconds (headless)"),
      Flag("--verbose", nil, "log what happens; with a screen the end of it is printed when that closes"),
    ]

  static func run(_ options: Options) async throws -> Int32 {
    let startedAt = NetworkActor.now
    let expectWithin = try options.duration("--expect-within")
    guard expectWithin == nil || options.has("--headless") else {
      throw UsageError("--expect-within is for monitoring: give --headless with it.")
    }
    if options.words.count > 1 { return try await showWall(options, startedAt, expectWithin) }
    if let draft = try draft(options) { return try await ask(draft, options) }
    let target: JoinTarget
    do { target = try JoinTarget(options, publishes: false) } catch {
      if options.has("--headless"), let error = error as? ConferenceError {
        HeadlessRun.report(error, since: startedAt)
      } else if (error as? ConferenceError)?.code == .tokenMissing, let obstacle = TerminalSession.obstacle {
        // At a terminal there would be a screen that asks for it.
        throw UsageError("\(obstacle); use --headless with a token for JSON lines.")
      }
      throw error
    }
    let joining = joining(target.options, options)
    let history = history
    return try await ViewingFlags(options).show(startedAt: startedAt, expectWithin: expectWithin) {
      () throws(ConferenceError) in
      let room = try await RoomConnection.join(
        url: target.url, token: target.token, room: target.room, options: joining)
      // A list that cannot be written is told by the screen that shows it.
      if !options.has("--headless") { _ = history.add(await room.snapshot.name, at: target.url) }
      return room
    }
  }

  /// Several rooms side by side.
  private static func showWall(
    _ options: Options, _ startedAt: MonotonicTime, _ expectWithin: Duration?
  ) async throws -> Int32 {
    let targets = try JoinTarget.all(options)
    let invitations = targets.map { target in target.invitation { joining($0, options) } }
    return try await ViewingFlags(options).show(startedAt: startedAt, expectWithin: expectWithin) {
      () throws(ConferenceError) in await RoomWall(invitations)
    }
  }

  /// What is known already, when the rest can be asked for at the terminal.
  private static func draft(_ options: Options) throws -> JoinDraft? {
    guard !options.has("--headless"), TerminalSession.isInteractive else { return nil }
    return try JoinDraft(options)
  }

  private static func ask(_ draft: JoinDraft, _ options: Options) async throws -> Int32 {
    try await ConnectViewer(
      draft: draft, joining: joining(draft.options, options), options: try ViewingFlags(options).viewer,
      history: history
    ).run()
  }

  private static var history: RoomHistory { RoomHistory(environment: ProcessInfo.processInfo.environment) }

  private static func joining(_ given: JoinOptions, _ options: Options) -> JoinOptions {
    var joining = given
    joining.receivesVideo = !options.has("--no-video")
    joining.receivesAudio = !options.has("--no-audio")
    joining.log = Log(isVerbose: options.has("--verbose")).debug
    return joining
  }
}
