import Conference
import Media
import RTCCore
import Signalling
import Transport

/// The receiving half of one connection's media path: packets to frames and playout buffers.
///
/// A packet belongs to the track whose SSRC it has. Where descriptions name none, or another one, its `mid` tells, and where
/// it has none, a payload type that only one track without an SSRC has (RFC 9143 §9.2).
@NetworkActor
final class ReceivedMedia {
  private var transport: MediaTransport
  private let outlets: TrackOutlets
  /// Higher for newer connections, whose frames replace those of older ones.
  private let feeder: Int
  private let localSSRC = SSRC(UInt32.random(in: 1 ... .max))
  private var tracks: [TrackID: ReceivedTrackPath] = [:]
  private var bySSRC: [SSRC: ReceivedTrackPath] = [:]
  private var byMid: [String: ReceivedTrackPath] = [:]
  /// Sources that another one has replaced, and until when their last packets may still come.
  private var retired: [SSRC: MonotonicTime] = [:]
  /// Tracks that were told to be silent.
  private var silent: Set<TrackID> = []
  /// Since when media can arrive; nil before.
  private var connectedAt: MonotonicTime?
  private var feedback: TransportFeedbackRecorder
  private var midID: UInt8?
  private var transportSequenceID: UInt8?
  private var roundTrip: Duration?
  private var wake: NetworkTimer?
  private var reports: ReportGenerator
  private(set) var drops = DropCounters()

  /// Longer than any path keeps a packet that others have overtaken.
  private static let retirement = Duration.seconds(2)

  /// Called when a track falls silent and when it is heard of again; set where the system does not tell.
  var onActivity: ((TrackID, _ isActive: Bool) -> Void)?
  /// Screens that stand still are sent once a second, speech pauses of Opus several times.
  private static let silenceLimit = Duration.seconds(3)

  init(transport: MediaTransport, outlets: TrackOutlets, feeder: Int, canonicalName: String) {
    self.transport = transport
    self.outlets = outlets
    self.feeder = feeder
    feedback = TransportFeedbackRecorder(localSSRC: localSSRC)
    reports = ReportGenerator(localSSRC: localSSRC, canonicalName: canonicalName, at: NetworkActor.now)
    listen()
    wake = NetworkTimer { [weak self] in self?.tick() }
    wake?.schedule(at: reports.nextDeadline)
  }

  private func listen() {
    transport.onRTP = { [weak self] bytes, now in self?.receive(bytes, at: now) }
    transport.onRTCP = { [weak self] bytes, now in self?.receiveControl(bytes, at: now) }
  }

  /// Goes on over a new connection, on which nothing has arrived yet.
  func use(_ new: MediaTransport) {
    transport = new
    connectedAt = nil
    feedback = TransportFeedbackRecorder(localSSRC: localSSRC)
    listen()
  }

  /// Stops everything; nothing is delivered afterwards. Outlets stay.
  func close() {
    wake?.cancel()
    transport.onRTP = nil
    transport.onRTCP = nil
    tracks = [:]
    bySSRC = [:]
    byMid = [:]
  }

  /// The full list of negotiated tracks: new ones are set up, missing ones torn down.
  func update(_ negotiated: [ReceivedTrack]) {
    let now = NetworkActor.now
    let wanted = Set(negotiated.map(\.track))
    for id in tracks.keys where !wanted.contains(id) {
      tracks[id] = nil
      silent.remove(id)
    }
    for description in negotiated {
      midID = description.extensions.mid ?? midID
      transportSequenceID = description.extensions.transportSequence ?? transportSequenceID
      if let path = tracks[description.track], path.description.kind == description.kind {
        path.renegotiate(description, at: now)
      } else {
        add(description, at: now)
      }
    }
    bySSRC = [:]
    byMid = [:]
    for path in tracks.values {
      for ssrc in [path.ssrc, path.rtxSSRC].compactMap(\.self) { bySSRC[ssrc] = path }
      if !path.description.mid.isEmpty { byMid[path.description.mid] = path }
    }
    scheduleWake()
  }

  /// Feeds the outlets again after a newer connection is gone.
  func takeBack() {
    for path in tracks.values {
      path.takeBack(at: NetworkActor.now)
      drain(path, at: NetworkActor.now)
    }
  }

  /// The tracks that were negotiated.
  var negotiated: Set<TrackID> { Set(tracks.keys) }
  func path(_ track: TrackID) -> ReceivedTrackPath? { tracks[track] }

  func setRoundTrip(_ time: Duration) {
    roundTrip = time
    for path in tracks.values { path.setRoundTrip(time) }
  }

  /// It has changed whether media of a track is to be expected.
  func settlePause(_ track: TrackID) {
    guard let path = tracks[track] else { return }
    path.setPaused(outlets.isPaused(track), at: NetworkActor.now)
    drain(path, at: NetworkActor.now)
  }

  /// A track's decoder cannot go on without a key frame.
  func decoderFailed(_ track: TrackID) {
    guard let path = tracks[track] else { return }
    path.decoderFailed(at: NetworkActor.now)
    drain(path, at: NetworkActor.now)
  }

  private func add(_ description: ReceivedTrack, at now: MonotonicTime) {
    tracks[description.track] = nil
    guard let outlet = outlets.outlet(description.track, description.kind) else { return }
    let path = ReceivedTrackPath(description, outlet: outlet, feeder: feeder, localSSRC: localSSRC, at: now)
    tracks[description.track] = path
    if let roundTrip { path.setRoundTrip(roundTrip) }
    path.setPaused(outlets.isPaused(description.track), at: now)
  }

  // MARK: Packets

  private func receive(_ bytes: [UInt8], at now: MonotonicTime) {
    let packet: RTPPacket
    do throws(WireError) {
      packet = try RTPPacket(parsing: bytes)
    } catch {
      drops.count(.malformed)
      return
    }
    if let id = transportSequenceID, let data = packet.extensionData(id),
      let sequence = HeaderExtension.transportSequence(from: data)
    {
      feedback.received(sequence, media: packet.ssrc, at: now)
    }
    guard let path = path(of: packet, at: now) else { return }
    if silent.remove(path.description.track) != nil { onActivity?(path.description.track, true) }
    path.receive(packet, size: bytes.count, at: now)
    drain(path, at: now)
  }

  /// The track that a packet belongs to; a packet without one is counted.
  private func path(of packet: RTPPacket, at now: MonotonicTime) -> ReceivedTrackPath? {
    let mid = midID.flatMap { packet.extensionData($0) }.flatMap(HeaderExtension.text)
    if let known = bySSRC[packet.ssrc] {
      guard let mid, mid != known.description.mid, byMid[mid] != nil else { return known }
      // The source has moved to another section.
      known.unbind(packet.ssrc)
      bySSRC[packet.ssrc] = nil
    }
    if let until = retired[packet.ssrc] {
      guard now >= until else {
        drops.count(.tooLate)
        return nil
      }
      retired[packet.ssrc] = nil
    }
    guard let path = mid.map({ byMid[$0] }) ?? pathByPayloadType(packet.payloadType) else {
      drops.count(.unknownSSRC)
      return nil
    }
    return claim(packet, for: path, at: now) ? path : nil
  }

  private func pathByPayloadType(_ type: UInt8) -> ReceivedTrackPath? {
    let candidates = tracks.values.filter { path in
      !path.description.mid.isEmpty
        && (path.ssrc == nil && path.description.payloadTypes.contains(type)
          || path.rtxSSRC == nil && path.description.rtxPayloadTypes[type] != nil)
    }
    return candidates.count == 1 ? candidates[0] : nil
  }

  /// Takes a packet's source for a track's media or, by its payload type, for its retransmissions.
  private func claim(_ packet: RTPPacket, for path: ReceivedTrackPath, at now: MonotonicTime) -> Bool {
    let former: SSRC?
    if path.description.payloadTypes.contains(packet.payloadType) {
      former = path.ssrc
      path.bind(media: packet.ssrc, at: now)
    } else if path.description.rtxPayloadTypes[packet.payloadType] != nil {
      former = path.rtxSSRC
      path.bind(retransmissions: packet.ssrc)
    } else {
      drops.count(.unknownPayloadType)
      return false
    }
    if let former {
      retired = retired.filter { $0.value > now }
      retired[former] = now + Self.retirement
      bySSRC[former] = nil
    }
    bySSRC[packet.ssrc] = path
    return true
  }

  private func receiveControl(_ bytes: [UInt8], at now: MonotonicTime) {
    let packets: [RTCPPacket]
    do throws(WireError) {
      packets = try RTCPPacket.parseCompound(bytes)
    } catch {
      drops.count(.malformed)
      return
    }
    for case .senderReport(let report) in packets { bySSRC[report.ssrc]?.receive(report, at: now) }
  }

  // MARK: Time

  private func tick() {
    let now = NetworkActor.now
    for path in tracks.values { path.advance(to: now, send: send) }
    if onActivity != nil { watchSilence(at: now) }
    for packet in feedback.takeDue(at: now) { send([.transportFeedback(packet)]) }
    if reports.takeDue(at: now) {
      let blocks = tracks.values.compactMap { $0.reportBlock(at: now) }
      if !blocks.isEmpty { send(reports.makeCompound(senderReports: [], blocks: blocks)) }
    }
    scheduleWake()
  }

  private func watchSilence(at now: MonotonicTime) {
    guard transport.state == .connected else { return }
    let since = connectedAt ?? now
    connectedAt = since
    for (id, path) in tracks {
      guard let due = path.silent(after: Self.silenceLimit), max(due, since + Self.silenceLimit) <= now,
        silent.insert(id).inserted
      else { continue }
      onActivity?(id, false)
    }
  }

  /// When the next track may fall silent.
  private var nextSilence: MonotonicTime? {
    guard onActivity != nil, let since = connectedAt else { return nil }
    return tracks.filter { !silent.contains($0.key) }.values
      .compactMap { $0.silent(after: Self.silenceLimit) }.min().map { max($0, since + Self.silenceLimit) }
  }

  private func drain(_ path: ReceivedTrackPath, at now: MonotonicTime) {
    path.advance(to: now, send: send)
    scheduleWake()
  }

  private func scheduleWake() {
    var next = reports.nextDeadline
    if let due = feedback.nextDeadline { next = min(next, due) }
    for path in tracks.values {
      if let due = path.deadline { next = min(next, due) }
    }
    if let due = nextSilence { next = min(next, due) }
    wake?.schedule(at: next)
  }

  private func send(_ packets: [RTCPPacket]) { transport.sendRTCP(RTCPPacket.serialize(packets)) }
}
