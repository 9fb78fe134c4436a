import Conference
import RoomServer
import Transport

/// A running room server, with the failures of starting one turned into sentences.
struct EmbeddedServer: Sendable {
  private let server: RoomServer
  let url: String
  let udpPort: Int
  /// Key and secret that tokens for this server are made with.
  let key: String
  let secret: String

  static let developmentKey = "devkey"
  static let developmentSecret = "secret"

  /// - Parameter keysFile: nil takes the development key, which is allowed on loopback only.
  static func start(
    bind: String, port: Int, udpPort: Int, keysFile: String?, log: Log
  ) async throws(ConferenceError) -> EmbeddedServer {
    var keys = [developmentKey: developmentSecret]
    do throws(RoomServerError) {
      if let keysFile { keys = try KeyFile.read(keysFile) }
      let configuration = RoomServer.Configuration(
        bind: bind, port: UInt16(port), udpPort: UInt16(udpPort), keys: keys, usesDevelopmentKey: keysFile == nil)
      let server = try await launch(configuration, log)
      let first = keys.first ?? (developmentKey, developmentSecret)
      return EmbeddedServer(
        server: server.0, url: "ws://\(host(bind)):\(server.port)", udpPort: server.udpPort, key: first.key,
        secret: first.value)
    } catch {
      throw ConferenceError(error.isUsage ? .usage : .serverUnreachable, error.message, cause: error)
    }
  }

  /// On the usual ports so that others on this machine can join by heart, or on any where those are taken.
  static func startAnywhere(log: Log) async throws(ConferenceError) -> EmbeddedServer {
    do throws(ConferenceError) {
      return try await start(bind: "127.0.0.1", port: 7_880, udpPort: 7_882, keysFile: nil, log: log)
    } catch {
      return try await start(bind: "127.0.0.1", port: 0, udpPort: 0, keysFile: nil, log: log)
    }
  }

  func stop() async { await server.stop() }

  @NetworkActor
  private static func launch(
    _ configuration: RoomServer.Configuration, _ log: Log
  ) throws(RoomServerError) -> (RoomServer, port: Int, udpPort: Int) {
    let server = RoomServer(configuration, log: { level, message in log.write(level.rawValue, message) })
    try server.start()
    return (server, Int(server.port), Int(server.udpPort))
  }

  private static func host(_ bind: String) -> String { bind.contains(":") ? "[\(bind)]" : bind }
}
