import Conference
import ConferenceClient
import Foundation
import Media
import RTCCore
import RoomServer
import Signalling
import Synchronization
import TestKit
import Testing
import Transport

/// A room server in this process on free ports, and the tokens to join it.
struct LoopbackRoom: Sendable {
  private let server: RoomServer
  let url: String

  init() async throws {
    server = try await Self.start()
    url = "ws://127.0.0.1:\(await server.port)"
  }

  @NetworkActor
  private static func start() throws -> RoomServer {
    var configuration = RoomServer.Configuration()
    configuration.port = 0
    configuration.udpPort = 0
    let server = RoomServer(configuration: configuration)
    try server.start()
    return server
  }

  func stop() async { await server.stop() }

  func token(_ identity: String, room: String = "lab", secret: String = "secret") throws -> String {
    let expiry = Int64(Date().timeIntervalSince1970) + 600
    var claims = LiveKit.Claims(
      apiKey: "devkey", identity: identity, expiresAt: expiry, grant: LiveKit.VideoGrant(joining: room))
    claims.name = identity.capitalized
    return try LiveKit.AccessToken.mint(claims, secret: Array(secret.utf8), mac: MessageAuthentication.hmacSHA256)
  }

  func join(_ identity: String, options: JoinOptions = JoinOptions()) async throws -> JoinedRoom {
    JoinedRoom(try await RoomConnection.join(url: url, token: try token(identity), options: options))
  }
}

/// A joined room whose events are kept, so that tests can wait for any of them in any order.
final class JoinedRoom: Sendable {
  let connection: RoomConnection
  private let seen = Mutex<[RoomEvent]>([])

  init(_ connection: RoomConnection) {
    self.connection = connection
    Task { [weak self] in
      for await event in connection.events { self?.seen.withLock { $0.append(event) } }
    }
  }

  var events: [RoomEvent] { seen.withLock { $0 } }
  var changes: [RoomChange] {
    events.flatMap { event -> [RoomChange] in if case .changed(_, let changes) = event { changes } else { [] } }
  }

  /// Waits until `condition` gives a value.
  func wait<Value>(
    within limit: Duration = .seconds(20), for what: String, _ condition: () async -> Value?
  ) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
      if let value = await condition() { return value }
      try #require(ContinuousClock.now < deadline, "not within \(limit): \(what)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// The decoded size of somebody's camera, once there is one.
  func picture(of identity: String) async -> (width: Int, height: Int, frames: Int)? {
    let all = await connection.statistics()
    return all.first { $0.participant.raw == identity && $0.kind == .video && $0.width > 0 }
      .map { ($0.width, $0.height, $0.framesDecoded) }
  }
}

/// Pictures whose brightness tells their number.
final class CountingSource: VideoSource {
  let format: VideoFormat
  private var count = 0

  init(width: Int, height: Int) {
    format = VideoFormat(width: width, height: height, frameInterval: .milliseconds(66))
  }

  func nextFrame() -> SourceFrame? {
    defer { count += 1 }
    let picture = I420Buffer.filled(
      width: format.width, height: format.height, y: UInt8(40 + count * 3 % 160), u: UInt8(100 + count % 50))
    return SourceFrame(content: .picture(picture), offset: format.frameInterval * count)
  }
}

/// Noise, which no encoder can make small.
final class NoiseSource: VideoSource {
  let format: VideoFormat
  private var count = 0
  private var generator = SeededGenerator(seed: 1)

  init(width: Int, height: Int) {
    format = VideoFormat(width: width, height: height, frameInterval: .milliseconds(66))
  }

  func nextFrame() -> SourceFrame? {
    defer { count += 1 }
    let picture = MutableI420(width: format.width, height: format.height)
    for y in 0..<format.height {
      for x in 0..<format.width { picture.set(.y, x: x, y: y, to: UInt8.random(in: 16...235, using: &generator)) }
    }
    for plane in [I420Buffer.Plane.u, .v] {
      for y in 0..<format.height / 2 {
        for x in 0..<format.width / 2 { picture.set(plane, x: x, y: y, to: 128) }
      }
    }
    return SourceFrame(content: .picture(picture.finish()), offset: format.frameInterval * count)
  }
}
