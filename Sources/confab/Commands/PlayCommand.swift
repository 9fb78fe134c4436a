import Conference
import Foundation
import Media
import RTCCore
import Screen
import Terminal

enum PlayCommand: Command {
  static let name = "play"
  static let synopsis = "FILE… [options]"
  static let summary = "Decodes and draws video files as a room would be drawn, without a network."
  static let flags =
    [
      Flag("--loop", nil, "begin again at the end"),
      Flag("--speed", "S", "as fast as S times real time (1)"),
      Flag("--stats", "FILE", "write figures of the screen to FILE at the end"),
      Flag("--tolerance", "N", "send a moving colour again when it is off by more than N of 255 (4); 0 is exact"),
    ] + PictureFlags.flags + LayoutFlags.flags

  static func run(_ options: Options) async throws -> Int32 {
    guard !options.words.isEmpty else { throw UsageError("A file to play is needed: IVF (VP8) or Y4M.") }
    guard !options.words.contains("-") else {
      throw UsageError(
        "Standard input is for keys here: give a file, or a pipe of its own as in confab play <(ffmpeg -i FILE -f yuv4mpegpipe -)."
      )
    }
    let speed = try options.decimal("--speed", in: 0.001...1_000) ?? 1
    var clips: [Clip] = []
    do throws(MediaError) {
      for path in options.words { clips.append(try Clip(path: path, loops: options.has("--loop"))) }
    } catch {
      throw ConferenceError(.unreadableFile, error.message, cause: error)
    }
    if let obstacle = TerminalSession.obstacle { throw UsageError("\(obstacle).") }
    var playing = ClipPlayer.Options()
    playing.speed = speed
    playing.picture = try PictureFlags(options)
    playing.tolerance = try options.number("--tolerance", in: 0...255)
    playing.view = try LayoutFlags.view(options)
    playing.statisticsFile = try options.file("--stats")
    return try await ClipPlayer(clips: clips, options: playing).run()
  }
}
