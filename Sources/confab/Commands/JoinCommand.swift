import Conference
import ConferenceClient
import Transport

enum JoinCommand: Command {
  static let name = "join"
  static let synopsis = "URL [options]"
  static let summary = "Joins a room and shows it, or reports it as JSON lines."
  static let flags =
    JoinTarget.flags + ViewingFlags.flags + [
      Flag("--no-video", nil, "receive no video"),
      Flag("--expect-within", "N", "exit 8 unless media was received within N seconds (headless)"),
      Flag("--verbose", nil, "log what happens"),
    ]

  static func run(_ options: Options) async throws -> Int32 {
    let startedAt = NetworkActor.now
    let target: JoinTarget
    do { target = try JoinTarget(options, publishes: false) } catch {
      if options.has("--headless"), let error = error as? ConferenceError {
        HeadlessRun.report(error, since: startedAt)
      }
      throw error
    }
    let viewing = try ViewingFlags(options)
    var joining = target.options
    joining.receivesVideo = !options.has("--no-video")
    joining.log = Log(isVerbose: options.has("--verbose")).debug
    joining.receivesAudio = !options.has("--no-audio")
    let expectWithin = try options.duration("--expect-within")
    guard expectWithin == nil || viewing.isHeadless else {
      throw UsageError("--expect-within is for monitoring: give --headless with it.")
    }
    return try await viewing.show(startedAt: startedAt, expectWithin: expectWithin) {
      [joining] () throws(ConferenceError) in
      try await RoomConnection.join(url: target.url, token: target.token, room: target.room, options: joining)
    }
  }
}
