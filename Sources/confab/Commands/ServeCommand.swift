import Conference
import Foundation
import RoomServer
import Transport

enum ServeCommand: Command {
  static let name = "serve"
  static let synopsis = "[options]"
  static let summary =
    "A room server that Confab and LiveKit's SDKs can join, and encoders and players by WHIP and WHEP."
  static let details = """
    Encoders such as OBS publish at http://HOST:PORT/whip/ROOM (WHIP, VP8 and Opus) and players watch at
    http://HOST:PORT/whep/ROOM (WHEP); the bearer token is an access token for the room. One section of video and one of
    audio play whoever speaks, ?participant=IDENTITY somebody, and a player with more sections gets more people.
    """
  static let flags = [
    Flag("--bind", "ADDRESS", "address to listen on (127.0.0.1); others need --keys"),
    Flag("--port", "N", "signalling port (7880; 0 takes any)"),
    Flag("--udp-port", "N", "media port for everybody (7882; 0 takes any)"),
    Flag("--keys", "FILE", "API keys and secrets, one `key: secret` a line, mode 0600 (devkey: secret)"),
    Flag("--verbose", nil, "log what happens in the rooms"),
  ]

  static func run(_ options: Options) async throws -> Int32 {
    guard options.words.isEmpty else {
      throw UsageError("serve takes options only, not “\(options.words[0].visibleLine)”.")
    }
    let server = try await EmbeddedServer.start(
      bind: options.text("--bind") ?? "127.0.0.1",
      port: try options.number("--port", in: 0...65_535) ?? 7_880,
      udpPort: try options.number("--udp-port", in: 0...65_535) ?? 7_882,
      keysFile: options.file("--keys"), log: Log(isVerbose: options.has("--verbose")))
    StandardError.say("serving \(server.urls.joined(separator: ", ")), media on UDP port \(server.udpPort)")
    StandardError.say(
      "encoders publish at \(server.ingestURL)ROOM (WHIP), players watch at \(server.playbackURL)ROOM (WHEP)")
    if options.text("--keys") == nil {
      StandardError.say("development key devkey, secret “secret”; only programs on this machine can join")
    }
    let signal = await Interruption.next()
    await server.stop()
    return signal == SIGINT ? 130 : 0
  }
}
