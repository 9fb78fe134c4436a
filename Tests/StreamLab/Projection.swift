import Media
import RTCCore
import Signalling
import Transport

/// A track of a source on its way to one mid of a viewer, from sources of packets that no description names.
@NetworkActor
final class Projection {
  let source: StreamSource
  let kind: MediaKind
  let mid: String
  private(set) var layer: Int
  /// The layer that is switched to at its next key frame.
  private var wanted: Int
  private var awaitsKeyFrame = true
  private var stream: SendStream
  private var packetizer = VP8Packetizer(maximumPayloadSize: 1_120)
  private var sent = 0
  private var timestamp: UInt32 = 0

  init(_ source: StreamSource, _ kind: MediaKind, mid: String, midExtension: UInt8, layer: Int) {
    self.source = source
    self.kind = kind
    self.mid = mid
    self.layer = layer
    wanted = layer
    var configuration = SendStream.Configuration(
      ssrc: SSRC(.random(in: 1 ... .max)), payloadType: kind == .video ? 96 : 111,
      clockRate: kind == .video ? ClockRate.video : ClockRate.opus,
      rtxSSRC: kind == .video ? SSRC(.random(in: 1 ... .max)) : nil, rtxPayloadType: kind == .video ? 97 : nil,
      firstSequence: SequenceNumber(.random(in: 0..<0x8000)))
    extensions = [RTPPacket.Extension(id: midExtension, data: HeaderExtension.data(text: mid))]
    configuration.rtxExtensions = extensions
    stream = SendStream(configuration)
    if kind == .video { source.forceKeyFrame(layer: layer) }
  }
  private let extensions: [RTPPacket.Extension]

  var ssrc: SSRC { stream.configuration.ssrc }

  func want(layer: Int) {
    wanted = layer
    source.forceKeyFrame(layer: layer)
  }
  func requestKeyFrame() { source.forceKeyFrame(layer: wanted) }

  /// The packets of one picture; of every `lossInterval` packets one is kept back, to be asked for again.
  func packets(of output: SimulcastEncoder.Output, lossInterval: Int?, at now: MonotonicTime) -> [RTPPacket] {
    if output.layer == wanted, output.frame.isKeyFrame {
      layer = wanted
      awaitsKeyFrame = false
    }
    guard output.layer == layer, !awaitsKeyFrame else { return [] }
    let packets = stream.send(
      payloads: packetizer.packetize(output.frame.payload), timestamp: output.frame.timestamp,
      extensions: extensions, markerOnLast: true, at: now)
    return packets.filter { _ in
      sent += 1
      return lossInterval.map { sent % $0 != 0 } ?? true
    }
  }

  func packets(of sound: [UInt8], at now: MonotonicTime) -> [RTPPacket] {
    timestamp &+= 960
    return stream.send(
      payloads: [sound], timestamp: RTPTimestamp(timestamp), extensions: extensions, markerOnLast: false, at: now)
  }

  func retransmissions(for nack: GenericNACK, at now: MonotonicTime) -> [RTPPacket] {
    stream.retransmit(nack, at: now)
  }
}
