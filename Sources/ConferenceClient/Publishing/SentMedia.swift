import Conference
import RTCCore
import Signalling
import Transport

/// The sending half of the media path: encoded frames and sound to packets of the publisher connection.
@NetworkActor
final class SentMedia {
  private var transport: MediaTransport
  private let clock: WallClock
  private var reports: ReportGenerator
  private var paths: [String: SentTrackPath] = [:]
  private var feedback = TransportFeedbackTracker()
  private var estimator = BandwidthEstimator()
  private var wake: NetworkTimer?
  private(set) var drops = DropCounters()

  /// - Parameter canonicalName: CNAME of all our sources, as the session description tells it (RFC 5576 §6.1).
  init(transport: MediaTransport, clock: WallClock, canonicalName: String) {
    self.transport = transport
    self.clock = clock
    reports = ReportGenerator(
      localSSRC: SSRC(UInt32.random(in: 1 ... .max)), canonicalName: canonicalName, at: NetworkActor.now)
    listen()
    wake = NetworkTimer { [weak self] in self?.report() }
    wake?.schedule(at: reports.nextDeadline)
  }

  private func listen() {
    transport.onRTCP = { [weak self] bytes, now in self?.receiveControl(bytes, at: now) }
    transport.onRTP = { [weak self] _, _ in self?.drops.count(.unknownSSRC) }
  }

  /// Goes on over a new connection, of whose path nothing is known yet.
  func use(_ new: MediaTransport) {
    transport = new
    feedback = TransportFeedbackTracker()
    estimator = BandwidthEstimator()
    listen()
  }

  /// What the path to the server is thought to carry, in bits a second.
  var estimatedBitrate: Int { estimator.estimate }

  func close() {
    wake?.cancel()
    for path in paths.values { path.end() }
    paths = [:]
  }

  func add(_ track: LocalTrack) -> PublicationDemand {
    let path = SentTrackPath(
      track: track, timestampOffset: UInt32.random(in: .min ... .max), at: NetworkActor.now)
    paths[track.localID] = path
    return path.demand
  }

  func remove(_ localID: String) {
    paths[localID]?.end()
    paths[localID] = nil
  }

  func setMuted(_ localID: String, _ muted: Bool) { paths[localID]?.setMuted(muted) }

  /// The full list of what may be sent.
  func update(_ negotiated: [SentTrack]) {
    for description in negotiated { paths[description.localID]?.negotiated(description) }
  }

  // MARK: Sending

  func send(_ frame: EncodedFrame, layer: LayerID, of localID: String) {
    let now = NetworkActor.now
    guard let path = paths[localID] else { return }
    for packet in path.packets(of: frame, layer: layer, at: now) { send(packet, path.transportExtensions, at: now) }
  }

  func send(_ sound: EncodedAudio, of localID: String) {
    let now = NetworkActor.now
    guard let path = paths[localID] else { return }
    for packet in path.packets(of: sound, at: now) { send(packet, path.transportExtensions, at: now) }
  }

  private func send(_ packet: RTPPacket, _ extensions: HeaderExtensionIDs, at now: MonotonicTime) {
    var packet = packet
    if let id = extensions.absoluteSendTime {
      packet.extensions.append(RTPPacket.Extension(id: id, data: AbsoluteSendTime(now).data))
    }
    if let id = extensions.transportSequence {
      // Header and tag are not counted: the estimate is compared with media rates.
      let sequence = feedback.send(bytes: packet.payload.count, at: now)
      packet.extensions.append(RTPPacket.Extension(id: id, data: HeaderExtension.data(transportSequence: sequence)))
    }
    transport.sendRTP(packet.serialized())
  }

  // MARK: Feedback

  private func receiveControl(_ bytes: [UInt8], at now: MonotonicTime) {
    let packets: [RTCPPacket]
    do {
      packets = try RTCPPacket.parseCompound(bytes)
    } catch {
      drops.count(.malformed)
      return
    }
    for packet in packets {
      switch packet {
      case .nack(let nack):
        for path in paths.values {
          for repeated in path.retransmissions(for: nack, at: now) { send(repeated, path.transportExtensions, at: now) }
        }
      case .pictureLossIndication(let request):
        for path in paths.values { path.requestKeyFrame(of: request.media) }
      case .fullIntraRequest(let request):
        for entry in request.entries {
          for path in paths.values { path.requestKeyFrame(of: entry.ssrc) }
        }
      case .transportFeedback(let arrivals):
        if let observation = feedback.receive(arrivals, at: now) { estimator.observe(observation, at: now) }
      case .bitrateEstimate(let estimate): estimator.observe(estimate)
      default: break
      }
    }
  }

  private func report() {
    let now = NetworkActor.now
    if reports.takeDue(at: now) {
      let senderReports = paths.values.flatMap { $0.senderReports(at: now, clock: clock) }
      if !senderReports.isEmpty {
        transport.sendRTCP(RTCPPacket.serialize(reports.makeCompound(senderReports: senderReports, blocks: [])))
      }
    }
    wake?.schedule(at: reports.nextDeadline)
  }
}
