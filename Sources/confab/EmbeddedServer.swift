import Conference
import RoomServer
import Transport

/// A running room server, with the failures of starting one turned into sentences.
struct EmbeddedServer: Sendable {
  /// The pair that is accepted on loopback without a key file.
  static let developmentKey = "devkey"
  static let developmentSecret = "secret"

  let url: String
  /// Where others reach it: that one, or one for each address of the machine.
  let urls: [String]
  /// Where streams are published and played over HTTP; a room's name follows.
  let ingestURL: String
  let playbackURL: String
  let udpPort: Int
  /// A key that tokens for this server can be made with.
  let credentials: Credentials
  private let server: RoomServer

  /// - Parameter keysFile: nil takes the development key, which is allowed on loopback only.
  static func start(
    bind: String, port: Int, udpPort: Int, keysFile: String?, log: Log
  ) async throws(ConferenceError) -> EmbeddedServer {
    var configuration = RoomServer.Configuration()
    configuration.bind = bind
    configuration.port = UInt16(clamping: port)
    configuration.udpPort = UInt16(clamping: udpPort)
    if let keysFile {
      do throws(KeyFile.Failure) {
        configuration.keys = try KeyFile.read(path: keysFile)
      } catch {
        throw ConferenceError(.usage, "\(error)", cause: error)
      }
    }
    do throws(RoomServerError) {
      return try await launch(configuration, log)
    } catch .keysRequired(let bind) {
      throw ConferenceError(
        .usage,
        "On \(bind) others can reach the server, so it needs keys of its own: give --keys FILE with `key: secret` lines."
      )
    } catch .addressInUse(let address) {
      throw ConferenceError(
        .serverUnreachable,
        "Something else, perhaps another confab serve, listens on \(address) already. Stop it, or choose other ports with --port and --udp-port."
      )
    } catch .addressNotLocal(let bind) {
      throw ConferenceError(.usage, "\(RoomServerError.addressNotLocal(bind.visibleLine))")
    } catch {
      throw ConferenceError(.serverUnreachable, "\(error)", cause: error)
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
  ) throws(RoomServerError) -> EmbeddedServer {
    let server = RoomServer(configuration: configuration, log: { level, message in log.write(level.rawValue, message) })
    try server.start()
    let key = configuration.keys.min { $0.key < $1.key }
    func authority(_ host: String) -> String { (host.contains(":") ? "[\(host)]" : host) + ":\(server.port)" }
    let isWildcard = ["0.0.0.0", "::"].contains(configuration.bind)
    let reachable = isWildcard ? server.addresses.map { authority("\($0)") } : []
    let addresses = reachable.isEmpty ? [authority(configuration.bind)] : reachable
    return EmbeddedServer(
      url: "ws://\(authority(configuration.bind))", urls: addresses.map { "ws://\($0)" },
      ingestURL: "http://\(addresses[0])/whip/", playbackURL: "http://\(addresses[0])/whep/",
      udpPort: Int(server.udpPort),
      credentials: Credentials(key: key?.key ?? developmentKey, secret: key?.value ?? developmentSecret), server: server
    )
  }
}
