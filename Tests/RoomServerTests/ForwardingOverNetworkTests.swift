import Conference
import RTCCore
import Signalling
import TestKit
import Testing
import Transport

@testable import RoomServer

/// Real ICE, DTLS and SRTP on loopback; the pictures are stand-ins.
@Suite(.serialized) @NetworkActor struct ForwardingOverNetworkTests {
  /// Sends frames of one layer: the layer's number stands in the payload.
  private final class Camera {
    let track: SentTrack
    private var sequences: [UInt16]
    private var pictures: [UInt16]
    private var timestamp: UInt32 = 0

    init(_ track: SentTrack) {
      self.track = track
      sequences = track.encodings.indices.map { UInt16($0 * 10_000) }
      pictures = track.encodings.indices.map { UInt16($0 * 100) }
    }

    @NetworkActor func send(over client: MediaClient, keyFrames: Bool, skipping lost: Bool = false) {
      timestamp &+= 3000
      for (index, encoding) in track.encodings.enumerated() {
        pictures[index] &+= 1
        for part in 0..<2 {
          sequences[index] &+= 1
          if lost && part == 1 { continue }
          let descriptor = VP8PayloadDescriptor(
            isPartitionStart: part == 0, pictureID: .init(pictures[index]), temporalBaseIndex: 0,
            temporalLayer: .init(id: 0))
          var extensions: [RTPPacket.Extension] = []
          if let id = track.extensions.mid { extensions.append(.init(id: id, data: Array(track.mid.utf8))) }
          if let id = track.extensions.rid, let rid = encoding.rid {
            extensions.append(.init(id: id, data: Array(rid.utf8)))
          }
          client.sendRTP(
            RTPPacket(
              payloadType: track.payloadType, marker: part == 1, sequenceNumber: SequenceNumber(sequences[index]),
              timestamp: RTPTimestamp(timestamp), ssrc: encoding.ssrc, extensions: extensions,
              payload: descriptor.serialized() + [keyFrames ? 0x10 : 0x11, UInt8(index)]))
        }
      }
    }
  }

  private static let layers = [(LayerID.low, 180), (.medium, 360), (.high, 720)].map {
    VideoLayer(id: $0.0, width: $0.1 * 16 / 9, height: $0.1)
  }

  /// Which layer each received packet came from.
  private func layersSeen(_ client: MediaClient, _ ssrc: SSRC) -> [UInt8] {
    (client.packets[ssrc] ?? []).compactMap { packet in
      packet.descriptor.map { packet.payload[$0.serialized().count + 1] }
    }
  }

  @Test func simulcastReachesASubscriberWhoChoosesAmongItsLayers() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await MediaClient(server, token: try mint("anna"))
    let bert = try await MediaClient(server, token: try mint("bert"))
    defer {
      anna.close()
      bert.close()
    }
    anna.perform(
      .publish(LocalTrack(localID: "cam", kind: .video, source: .camera, name: "cam", layers: Self.layers)))
    try await eventually("negotiated") { !anna.sendable.isEmpty && !bert.received.isEmpty }
    try await eventually("connected") {
      anna.connected.contains(.publisher) && bert.connected.contains(.subscriber)
    }
    let camera = Camera(try #require(anna.sendable.first))
    #expect(camera.track.encodings.map(\.rid) == ["q", "h", "f"])
    let track = try #require(bert.received.first)
    let ssrc = try #require(track.ssrc)

    // Nothing is forwarded before a key frame, and the publisher is asked for one.
    try await eventually("key frame wanted") {
      camera.send(over: anna, keyFrames: false)
      return anna.feedback.contains { if case .pictureLossIndication = $0 { true } else { false } }
    }
    #expect(layersSeen(bert, ssrc).isEmpty)
    try await eventually("highest layer flows") {
      camera.send(over: anna, keyFrames: true)
      return layersSeen(bert, ssrc).last == 2
    }
    bert.perform(.requestLayer(track.track, .layer(.low)))
    try await eventually("lowest layer flows") {
      camera.send(over: anna, keyFrames: true)
      return layersSeen(bert, ssrc).last == 0
    }
    bert.perform(.requestLayer(track.track, .size(width: 600, height: 340)))
    try await eventually("middle layer flows") {
      camera.send(over: anna, keyFrames: true)
      return layersSeen(bert, ssrc).last == 1
    }
    let numbers = Set((bert.packets[ssrc] ?? []).map(\.sequenceNumber))
    let first = try #require(bert.packets[ssrc]?.first?.sequenceNumber)
    let last = try #require(bert.packets[ssrc]?.last?.sequenceNumber)
    // Loopback does not lose: the numbers have no hole across the switches.
    #expect(numbers.count == last.distance(from: first) + 1)

    bert.perform(.requestLayer(track.track, .off))
    var count = -1
    try await eventually("nothing flows") {
      defer { count = bert.packets[ssrc]?.count ?? 0 }
      camera.send(over: anna, keyFrames: true)
      return bert.packets[ssrc]?.count == count
    }
    // Transport-wide feedback and receiver reports keep the publisher's estimate alive.
    try await eventually("feedback") {
      camera.send(over: anna, keyFrames: true)
      return anna.feedback.contains {
        if case .receiverReport(let report) = $0 { !report.reports.isEmpty } else { false }
      }
    }
  }

  @Test func lossesAreAskedForUpstreamAndAnsweredDownstream() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await MediaClient(server, token: try mint("anna"))
    let bert = try await MediaClient(server, token: try mint("bert"))
    defer {
      anna.close()
      bert.close()
    }
    anna.perform(
      .publish(
        LocalTrack(localID: "cam", kind: .video, source: .camera, name: "cam", layers: [Self.layers[2]])))
    try await eventually("negotiated") { !anna.sendable.isEmpty && !bert.received.isEmpty }
    try await eventually("connected") {
      anna.connected.contains(.publisher) && bert.connected.contains(.subscriber)
    }
    let camera = Camera(try #require(anna.sendable.first))
    let track = try #require(bert.received.first)
    let ssrc = try #require(track.ssrc)
    try await eventually("flows") {
      camera.send(over: anna, keyFrames: true)
      return bert.packets[ssrc] != nil
    }
    camera.send(over: anna, keyFrames: false, skipping: true)
    camera.send(over: anna, keyFrames: false)
    try await eventually("the loss is asked for") {
      anna.feedback.contains { if case .nack(let nack) = $0 { nack.lost.count == 1 } else { false } }
    }
    let missed = try #require(bert.packets[ssrc]?.last)
    bert.sendRTCP(
      [.nack(GenericNACK(sender: SSRC(1), media: ssrc, lost: [missed.sequenceNumber]))], over: .subscriber)
    let rtx = try #require(track.rtxSSRC)
    try await eventually("it is sent again") { bert.packets[rtx] != nil }
    let number = missed.sequenceNumber.raw
    #expect(bert.packets[rtx]?.first?.payload == [UInt8(number >> 8), UInt8(number & 0xFF)] + missed.payload)

    // The publisher's clock reaches the subscriber in the outgoing timeline.
    let report = SenderReport(
      ssrc: camera.track.encodings[0].ssrc, ntpTime: NTPTime(raw: 0xE000_0000_0000_0000),
      rtpTimestamp: RTPTimestamp(3000), packetCount: 1, octetCount: 1)
    anna.sendRTCP([.senderReport(report)], over: .publisher)
    try await eventually("sender report") {
      camera.send(over: anna, keyFrames: false)
      return bert.reports.contains { $0.ssrc == ssrc }
    }
  }

  @Test func audioCarriesItsLevelAndSpeakersAreTold() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await MediaClient(server, token: try mint("anna"))
    let bert = try await MediaClient(server, token: try mint("bert"))
    defer {
      anna.close()
      bert.close()
    }
    anna.perform(.publish(LocalTrack(localID: "mic", kind: .audio, source: .microphone, name: "mic")))
    try await eventually("negotiated") { !anna.sendable.isEmpty && !bert.received.isEmpty }
    try await eventually("connected") {
      anna.connected.contains(.publisher) && bert.connected.contains(.subscriber)
    }
    let mic = try #require(anna.sendable.first)
    let ssrc = try #require(bert.received.first?.ssrc)
    let level = try #require(mic.extensions.audioLevel)
    var number: UInt16 = 0
    func speak() {
      number &+= 1
      anna.sendRTP(
        RTPPacket(
          payloadType: mic.payloadType, sequenceNumber: SequenceNumber(number),
          timestamp: RTPTimestamp(UInt32(number) * 960), ssrc: mic.encodings[0].ssrc,
          extensions: [.init(id: level, data: [0x80 | 10])], payload: [1, 2, 3]))
    }
    func speaks(_ expected: Bool) -> Bool {
      bert.events.contains {
        if case .speakersChanged(let changes) = $0 {
          changes.contains { $0.identity == ParticipantIdentity("anna") && $0.isSpeaking == expected }
        } else {
          false
        }
      }
    }
    try await eventually("anna speaks") {
      speak()
      return speaks(true)
    }
    #expect(bert.packets[ssrc]?.first?.payload == [1, 2, 3])
    #expect(bert.packets[ssrc]?.first?.extensions.first?.data == [0x80 | 10])
    try await eventually("anna is silent") { speaks(false) }
    // Muted, nothing is forwarded, and the room is told.
    anna.perform(.setMuted(localID: "mic", true))
    try await eventually("muted") {
      bert.events.contains {
        if case .participantUpdated(let info) = $0 { info.tracks.contains { $0.isMuted } } else { false }
      }
    }
    let count = bert.packets[ssrc]?.count
    for _ in 0..<20 { speak() }
    anna.perform(.unpublish(localID: "mic"))
    try await eventually("unpublished") { bert.received.isEmpty && server.statistics.tracks == 0 }
    #expect(bert.packets[ssrc]?.count == count)
  }

  @Test func randomDatagramsAreCountedAndHarmNobody() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await MediaClient(server, token: try mint("anna"))
    defer { anna.close() }
    try await eventually("connected") { anna.connected.contains(.subscriber) }
    var random = SeededGenerator(seed: 11)
    let before = server.statistics.drops.total
    try sendDatagrams(
      (0..<2000).map { _ in
        (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }, to: server.udpPort)
    try await eventually("drops") { server.statistics.drops.total > before + 500 }
    // Random packets from a peer that is let in.
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 12...100, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if let packet = try? RTPPacket(parsing: [0x80, 96] + bytes) { anna.sendRTP(packet) }
    }
    let bert = try await MediaClient(server, token: try mint("bert"))
    defer { bert.close() }
    try await eventually("others still connect") { bert.connected.contains(.subscriber) }
  }
}
