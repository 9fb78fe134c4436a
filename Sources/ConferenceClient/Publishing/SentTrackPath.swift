import Conference
import RTCCore
import Signalling
import Transport

/// One published track between its encoder and the network.
@NetworkActor
final class SentTrackPath {
  private struct Encoding {
    let layer: LayerID
    let rid: String?
    let ssrc: SSRC
    var stream: SendStream
    var packetizer: VP8Packetizer
  }

  let track: LocalTrack
  let demand = PublicationDemand()
  private var description: SentTrack?
  private var encodings: [Encoding] = []
  private var isMuted: Bool
  /// Random start of the RTP clock (RFC 3550 §5.1), the same for all layers.
  private let timestampOffset: UInt32
  private var audioTimestamp: UInt32
  private let startedAt: MonotonicTime

  /// Leaves room for IP, UDP, SRTP and header extensions within the 1 280 bytes that every path carries (RFC 8200 §5).
  private static let maximumPayload = 1_120

  init(track: LocalTrack, timestampOffset: UInt32, at now: MonotonicTime) {
    self.track = track
    self.timestampOffset = timestampOffset
    audioTimestamp = timestampOffset
    startedAt = now
    isMuted = track.isMuted
  }

  /// The other end accepted the track; begins anew when numbers or types changed.
  func negotiated(_ description: SentTrack) {
    guard description != self.description else { return }
    self.description = description
    let clockRate = track.kind == .video ? ClockRate.video : ClockRate.opus
    encodings = description.encodings.map { encoding in
      var configuration = SendStream.Configuration(
        ssrc: encoding.ssrc, payloadType: description.payloadType, clockRate: clockRate, rtxSSRC: encoding.rtxSSRC,
        rtxPayloadType: description.rtxPayloadType, firstSequence: SequenceNumber(UInt16.random(in: 0..<0x8000)))
      configuration.rtxExtensions = extensions(rid: encoding.rid, isRepair: true)
      return Encoding(
        layer: encoding.layer, rid: encoding.rid, ssrc: encoding.ssrc, stream: SendStream(configuration),
        packetizer: VP8Packetizer(maximumPayloadSize: Self.maximumPayload))
    }
    updateDemand()
  }

  func setMuted(_ muted: Bool) {
    isMuted = muted
    updateDemand()
  }

  func end() {
    demand.end()
    encodings = []
  }

  private func updateDemand() { demand.setLayers(isMuted ? [] : Set(encodings.map(\.layer))) }

  // MARK: Sending

  /// Packets of one encoded picture of one layer.
  func packets(of frame: EncodedFrame, layer: LayerID, at now: MonotonicTime) -> [RTPPacket] {
    guard !isMuted, let index = encodings.firstIndex(where: { $0.layer == layer }) else { return [] }
    let payloads = encodings[index].packetizer.packetize(frame.payload)
    let timestamp = RTPTimestamp(frame.timestamp.raw &+ timestampOffset)
    return encodings[index].stream.send(
      payloads: payloads, timestamp: timestamp, extensions: extensions(rid: encodings[index].rid), markerOnLast: true,
      capturedAt: frame.startedAt, at: now)
  }

  /// The packet of one block of sound.
  func packets(of sound: EncodedAudio, at now: MonotonicTime) -> [RTPPacket] {
    defer { audioTimestamp &+= UInt32(truncatingIfNeeded: sound.samples) }
    guard !isMuted, !encodings.isEmpty else { return [] }
    var extensions = extensions(rid: nil)
    if let id = description?.extensions.audioLevel {
      // Anything above silence counts as voice: the far end decides by loudness.
      let level = AudioLevel(isVoice: sound.level < 60, negativeDecibels: sound.level)
      extensions.append(RTPPacket.Extension(id: id, data: level.data))
    }
    return encodings[0].stream.send(
      payloads: [sound.packet], timestamp: RTPTimestamp(audioTimestamp), extensions: extensions, markerOnLast: false,
      at: now)
  }

  /// Names of the section and of the layer; a repair stream names the layer that it repairs (RFC 8852 §3.3).
  private func extensions(rid: String?, isRepair: Bool = false) -> [RTPPacket.Extension] {
    guard let description else { return [] }
    var result: [RTPPacket.Extension] = []
    if let id = description.extensions.mid {
      result.append(RTPPacket.Extension(id: id, data: HeaderExtension.data(text: description.mid)))
    }
    if let id = isRepair ? description.extensions.repairedRid : description.extensions.rid, let rid {
      result.append(RTPPacket.Extension(id: id, data: HeaderExtension.data(text: rid)))
    }
    return result
  }

  // MARK: Feedback

  func retransmissions(for nack: GenericNACK, at now: MonotonicTime) -> [RTPPacket] {
    guard let index = encodings.firstIndex(where: { $0.ssrc == nack.media }) else { return [] }
    return encodings[index].stream.retransmit(nack, at: now)
  }

  /// PLI and FIR: the layer of this SSRC must send a key frame.
  func requestKeyFrame(of ssrc: SSRC) {
    guard let encoding = encodings.first(where: { $0.ssrc == ssrc }) else { return }
    demand.requestKeyFrame(encoding.layer)
  }

  func senderReports(at now: MonotonicTime, clock: WallClock) -> [SenderReport] {
    encodings.compactMap { $0.stream.senderReport(at: now, wallClock: clock) }
  }

  /// The extension elements that must be fresh in every packet: transport-wide sequence and send time.
  var transportExtensions: HeaderExtensionIDs { description?.extensions ?? HeaderExtensionIDs() }
}
