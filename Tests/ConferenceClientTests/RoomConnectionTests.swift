import Conference
import ConferenceClient
import Media
import RTCCore
import Testing
import Transport

/// Server, publisher and viewer in one process, over real UDP with real ICE, DTLS and SRTP.
@Suite struct RoomConnectionTests {
  private func publishCamera(_ room: JoinedRoom) async throws -> Publication {
    try await room.connection.publish(
      CountingSource(width: 640, height: 360),
      layers: LayerPlan.simulcast(width: 640, height: 360, framesPerSecond: 15))
  }

  private func camera(of identity: String, in room: JoinedRoom) async throws -> Track {
    try await room.wait(for: "\(identity)'s camera") {
      let track = await room.connection.snapshot[ParticipantIdentity(identity)]?.mainVideo
      return track?.isSubscribed == true ? track : nil
    }
  }

  @Test func pictureAndSoundCrossTheRoom() async throws {
    let server = try await LoopbackRoom()
    let ada = try await server.join("ada")
    _ = try await publishCamera(ada)
    _ = await ada.connection.publish(ToneSource())
    let bo = try await server.join("bo")
    let size = try await bo.wait(for: "decoded pictures") { await bo.picture(of: "ada") }
    #expect(size.width > 0)
    _ = try await bo.wait(for: "sound") {
      await bo.connection.statistics().first { $0.kind == .audio && $0.received.packetsReceived > 20 }
    }
    #expect(bo.events.contains { if case .firstFrame(let who, _, _, _, _) = $0 { who.raw == "ada" } else { false } })
    await bo.connection.leave()
    await ada.connection.leave()
    await server.stop()
  }

  @Test func theLayerAskedForArrivesAndAHiddenTileReceivesNothing() async throws {
    let server = try await LoopbackRoom()
    let ada = try await server.join("ada")
    _ = try await publishCamera(ada)
    let bo = try await server.join("bo")
    let track = try await camera(of: "ada", in: bo)
    for (layer, height) in [(LayerID.low, 90), (.high, 360), (.medium, 180)] {
      await bo.connection.perform(.requestLayer(track.id, .layer(layer)))
      _ = try await bo.wait(for: "\(layer)") {
        let picture = await bo.picture(of: "ada")
        return picture?.height == height ? true : nil
      }
    }
    await bo.connection.perform(.requestLayer(track.id, .off))
    _ = try await bo.wait(for: "silence on a hidden tile") {
      await bo.connection.statistics().first { $0.kind == .video }?.bitrate == 0 ? true : nil
    }
    let before = await bo.picture(of: "ada")?.frames ?? 0
    await bo.connection.perform(.requestLayer(track.id, .size(width: 80, height: 80)))
    _ = try await bo.wait(for: "pictures again") { await bo.picture(of: "ada")?.frames ?? 0 > before ? true : nil }
    await bo.connection.leave()
    await ada.connection.leave()
    await server.stop()
  }

  @Test func theServersFeedbackTellsWhatThePathCarries() async throws {
    let server = try await LoopbackRoom()
    let ada = try await server.join("ada")
    let atFirst = await ada.connection.estimatedUplink
    #expect(atFirst == 300_000)
    _ = try await ada.connection.publish(
      NoiseSource(width: 320, height: 180),
      layers: [SimulcastEncoder.Layer(width: 320, height: 180, bitrate: 800_000)])
    _ = try await ada.wait(for: "a higher estimate") {
      await ada.connection.estimatedUplink > atFirst ? true : nil
    }
    await ada.connection.leave()
    await server.stop()
  }

  @Test func mutingAndUnpublishingAreSeenByOthers() async throws {
    let server = try await LoopbackRoom()
    let ada = try await server.join("ada")
    let publication = try await publishCamera(ada)
    let bo = try await server.join("bo")
    let track = try await camera(of: "ada", in: bo)
    await ada.connection.setMuted(publication, true)
    _ = try await bo.wait(for: "mute") {
      bo.changes.contains { if case .trackMuted(_, let it) = $0 { it.id == track.id } else { false } } ? true : nil
    }
    await ada.connection.setMuted(publication, false)
    _ = try await bo.wait(for: "unmute") {
      bo.changes.contains { if case .trackUnmuted(_, let it) = $0 { it.id == track.id } else { false } } ? true : nil
    }
    await ada.connection.unpublish(publication)
    _ = try await bo.wait(for: "the end of the track") {
      await bo.connection.snapshot[ParticipantIdentity("ada")]?.tracks.isEmpty == true ? true : nil
    }
    await bo.connection.leave()
    await ada.connection.leave()
    await server.stop()
  }

  @Test func leavingTearsDownAndJoiningAgainWorks() async throws {
    let server = try await LoopbackRoom()
    let ada = try await server.join("ada")
    for _ in 0..<3 {
      let bo = try await server.join("bo")
      _ = try await ada.wait(for: "bo") { await ada.connection.snapshot[ParticipantIdentity("bo")] }
      await bo.connection.leave()
      _ = try await ada.wait(for: "bo gone") {
        await ada.connection.snapshot[ParticipantIdentity("bo")] == nil ? true : nil
      }
      #expect({ if case .left(.requested)? = bo.events.last { true } else { false } }())
    }
    await ada.connection.leave()
    await server.stop()
  }

  @Test func refusalsCarryTheirCode() async throws {
    let server = try await LoopbackRoom()
    func code(_ token: String, url: String? = nil, room: String? = nil) async -> ConferenceError.Code? {
      do throws(ConferenceError) {
        _ = try await RoomConnection.join(url: url ?? server.url, token: token, room: room)
        return nil
      } catch { return error.code }
    }
    #expect(await code("") == .tokenMissing)
    #expect(await code("not.a.token!") == .tokenMalformed)
    #expect(await code(try server.token("ada"), room: "other") == .tokenForOtherRoom)
    #expect(await code(try server.token("ada", secret: "wrong")) == .tokenNotAccepted)
    #expect(await code(try server.token("ada"), url: "ws://127.0.0.1:9") == .serverUnreachable)
    #expect(await code(try server.token("ada"), url: "gopher://x") == .usage)
    await server.stop()
  }

  /// Whatever a server does right after the handshake, before anybody can wait for it.
  @Test func aServerThatEndsTheJoinItselfIsTold() async throws {
    let token = try await LoopbackRoom().token("ada")
    func code(_ onOpen: @escaping @NetworkActor (WebSocketConnection) -> Void) async throws -> ConferenceError.Code? {
      let port = try await Self.serve(onOpen)
      do throws(ConferenceError) {
        _ = try await RoomConnection.join(url: "ws://127.0.0.1:\(port.value)", token: token)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(try await code { $0.close(code: 1000, reason: "bye") } == .serverUnreachable)
    #expect(try await code { $0.send([UInt8](repeating: 0xff, count: 500)) } == .notAConferenceServer)
    #expect(
      try await code {
        $0.send([0xff])
        $0.close(code: 1011, reason: "")
      } == .notAConferenceServer)
  }

  /// A server that accepts every WebSocket, alive as long as the result.
  @NetworkActor
  private static func serve(
    _ onOpen: @escaping @NetworkActor (WebSocketConnection) -> Void
  ) throws -> (value: UInt16, server: HTTPServer) {
    let server = HTTPServer()
    server.onUpgrade = { _ in
      .accept { socket in
        socket.onClose = { _, _ in _ = socket }
        onOpen(socket)
      }
    }
    try server.listen(bind: "127.0.0.1", port: 0)
    return (server.port, server)
  }

  @Test func aServerThatStopsEndsTheConference() async throws {
    let server = try await LoopbackRoom()
    let ada = try await server.join("ada")
    await server.stop()
    _ = try await ada.wait(for: "the end") {
      ada.events.contains { if case .left = $0 { true } else { false } } ? true : nil
    }
    #expect(await ada.connection.endFailure?.code == .closedByServer)
  }
}
