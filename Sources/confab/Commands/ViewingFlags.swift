import Conference
import ConferenceClient
import RTCCore
import Screen
import Terminal

/// Flags of everything that shows a room.
struct ViewingFlags {
  static let flags =
    [
      Flag("--headless", nil, "JSON lines on standard output instead of a screen"),
      Flag("--seconds", "N", "leave after N seconds"),
      Flag("--layer", "L", "auto, low, medium or high (auto; headless: high)"),
      Flag("--audio-device", "D", "ALSA device (default; headless plays only when this is given)", setting: .text),
      Flag("--no-audio", nil, "receive no sound"),
      Flag("--stats", "FILE", "write figures of the screen to FILE at the end"),
    ] + PictureFlags.flags + LayoutFlags.flags + LayoutFlags.peopleFlags

  private enum LayerWord: String, CaseIterable {
    case auto, low, medium, high

    var layer: LayerID? { LayerID(rawValue: rawValue) }
  }

  let isHeadless: Bool
  /// How the screen shows rooms.
  let viewer: RoomViewer.Options
  private let headless: HeadlessRun.Options

  init(_ options: Options) throws {
    isHeadless = options.has("--headless")
    if !isHeadless, let obstacle = TerminalSession.obstacle {
      throw UsageError("\(obstacle); use --headless for JSON lines.")
    }
    if isHeadless, options.has("--stats") {
      throw UsageError("--stats is about the screen; --headless prints its figures as JSON lines.")
    }
    let layer = try options.choice("--layer", of: LayerWord.self)
    let seconds = try options.duration("--seconds")
    let device = options.text("--audio-device")
    var viewer = RoomViewer.Options()
    viewer.layer = layer?.layer.map { .fixed($0) } ?? .auto
    viewer.audio = .device(device ?? "default")
    viewer.view = try LayoutFlags.view(options)
    viewer.hasAudio = !options.has("--no-audio")
    viewer.picture = try PictureFlags(options)
    viewer.seconds = seconds
    viewer.statisticsFile = try options.file("--stats")
    viewer.isVerbose = options.has("--verbose")
    self.viewer = viewer
    var headless = HeadlessRun.Options()
    headless.layer = .layer(layer?.layer ?? .high)
    // A device that is set for every run does not make monitoring loud.
    headless.audio = options.isGiven("--audio-device") ? .device(device ?? "default") : .nowhere
    headless.hasAudio = !options.has("--no-audio")
    headless.seconds = seconds
    self.headless = headless
  }

  /// Joins a room, and shows it to its end.
  func show(
    startedAt: MonotonicTime, expectWithin: Duration? = nil,
    join: () async throws(ConferenceError) -> RoomConnection
  ) async throws(ConferenceError) -> Int32 {
    try await show(startedAt: startedAt, expectWithin: expectWithin) { () throws(ConferenceError) in
      await RoomWall(try await join())
    }
  }

  /// Opens a wall of rooms, and shows it to its end.
  func show(
    startedAt: MonotonicTime, expectWithin: Duration? = nil,
    open: () async throws(ConferenceError) -> RoomWall
  ) async throws(ConferenceError) -> Int32 {
    guard isHeadless else { return try await RoomViewer(wall: try await open(), options: viewer).run() }
    var options = headless
    options.expectWithin = expectWithin
    let run = HeadlessRun(options: options, startedAt: startedAt)
    let wall: RoomWall
    do throws(ConferenceError) { wall = try await open() } catch {
      HeadlessRun.report(error, since: startedAt)
      throw error
    }
    return try await run.run(wall)
  }
}
