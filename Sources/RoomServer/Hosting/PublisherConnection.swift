import RTCCore
import Signalling
import Transport

/// The peer connection on which a participant sends: the client offers, we answer, and media only comes in.
@NetworkActor final class PublisherConnection {
  /// Time between two receiver reports.
  private static let reportInterval: Duration = .seconds(1)
  /// Told to publishers that take an estimate instead of transport-wide feedback: the server runs on a fast network and
  /// leaves the rate to the publisher's own limits.
  private static let assumedBitrate: UInt64 = 10_000_000

  private unowned let participant: Participant
  private let context: ServerContext
  private let transport: MediaTransport
  private(set) var local: LocalEnd
  private let ssrc = SSRC(ServerContext.randomNumber(UInt32.self))
  private var version: UInt64 = 0
  private var isConnecting = false
  private(set) var isConnected = false
  private var binder = StreamBinder()
  private var feedback: TransportFeedbackRecorder
  private var transportSequenceID: UInt8?
  private var usesBitrateEstimate = false
  private var lastReport: MonotonicTime = .zero
  private var drops = DropCounters()

  init(participant: Participant, context: ServerContext) {
    self.participant = participant
    self.context = context
    (transport, local) = context.makeTransport()
    feedback = TransportFeedbackRecorder(localSSRC: ssrc)
    transport.onRTP = { [weak self] bytes, now in self?.receiveRTP(bytes, at: now) }
    transport.onRTCP = { [weak self] bytes, now in self?.receiveRTCP(bytes, at: now) }
    transport.onStateChange = { [weak self] state in self?.stateChanged(state) }
  }

  var allDrops: DropCounters {
    var all = drops
    all.merge(transport.drops)
    return all
  }

  /// Answers an offer; the sections that carry media come back with it.
  func answer(_ text: String) throws(NegotiationError) -> (sdp: String, sections: [PublisherAnswer.Section]) {
    let offer: SessionDescription
    do { offer = try SessionDescription(parsing: text) } catch { throw .unreadable(error) }
    return try self.answer(offer)
  }

  func answer(
    _ offer: SessionDescription
  ) throws(NegotiationError) -> (sdp: String, sections: [PublisherAnswer.Section]) {
    let answer = try PublisherAnswer(to: offer, local: local, version: version + 1)
    version += 1
    binder.update(
      sections: answer.sections.map {
        StreamBinder.Section(
          mid: $0.mid, kind: $0.kind, rids: $0.rids, mediaSSRC: $0.mediaSSRC, rtxSSRC: $0.rtxSSRC,
          payloadType: $0.payloadType, rtxPayloadType: $0.rtxPayloadType)
      }, extensions: answer.extensions)
    transportSequenceID = answer.transportSequenceID
    usesBitrateEstimate = answer.usesBitrateEstimate
    if !isConnecting {
      isConnecting = true
      transport.connect(
        remoteUfrag: answer.remote.credentials.usernameFragment, remotePassword: answer.remote.credentials.password,
        remoteFingerprint: answer.remote.fingerprint, role: answer.remote.ourSetup == .active ? .client : .server,
        remoteCandidates: [])
    }
    return (answer.description.serialized(), answer.sections)
  }

  /// Restarts ICE from our side; false when it cannot be.
  func restartICE() -> Bool {
    guard transport.restartICE() else { return false }
    local.credentials = ICECredentials(usernameFragment: transport.iceUfrag, password: transport.icePassword)
    return true
  }

  func requestKeyFrame(of media: SSRC) {
    send([.pictureLossIndication(PictureLossIndication(sender: ssrc, media: media))])
  }

  /// Sends the feedback that is due.
  func advance(to now: MonotonicTime) {
    guard isConnected else { return }
    for report in feedback.takeDue(at: now) { send([.transportFeedback(report)]) }
    for track in participant.tracks {
      for request in track.takeNACKs(sender: ssrc, at: now) { send([.nack(request)]) }
    }
    guard now - lastReport >= Self.reportInterval else { return }
    lastReport = now
    var blocks: [ReportBlock] = []
    for track in participant.tracks { blocks += track.makeReportBlocks(at: now) }
    guard !blocks.isEmpty else { return }
    var rest = blocks[...]
    while !rest.isEmpty {
      // RFC 3550 §6.4.1: the count field has five bits.
      var compound: [RTCPPacket] = [.receiverReport(ReceiverReport(ssrc: ssrc, reports: Array(rest.prefix(31))))]
      rest = rest.dropFirst(31)
      if usesBitrateEstimate {
        compound.append(
          .bitrateEstimate(BitrateEstimate(sender: ssrc, bitrate: Self.assumedBitrate, sources: blocks.map(\.ssrc))))
      }
      transport.sendRTCP(RTCPPacket.serialize(compound))
    }
  }

  func close() {
    context.drops.merge(allDrops)
    transport.onRTP = nil
    transport.onRTCP = nil
    transport.onStateChange = nil
    transport.close()
  }

  /// A compound begins with a report (RFC 3550 §6.1), be it empty.
  private func send(_ packets: [RTCPPacket]) {
    transport.sendRTCP(RTCPPacket.serialize([.receiverReport(ReceiverReport(ssrc: ssrc, reports: []))] + packets))
  }

  private func receiveRTP(_ bytes: [UInt8], at now: MonotonicTime) {
    let packet: RTPPacket
    do { packet = try RTPPacket(parsing: bytes) } catch {
      drops.count(.malformed)
      return
    }
    if let id = transportSequenceID, let data = packet.extensionData(id),
      let sequence = HeaderExtension.transportSequence(from: data)
    {
      feedback.received(sequence, media: packet.ssrc, at: now)
    }
    switch binder.resolve(packet) {
    case .failure(let failure): drops.count(failure.reason)
    case .success(let binding):
      guard let track = participant.track(mid: binding.mid) else {
        drops.count(.unknownSSRC)
        return
      }
      track.receive(packet, binding: binding, at: now)
    }
  }

  private func receiveRTCP(_ bytes: [UInt8], at now: MonotonicTime) {
    let packets: [RTCPPacket]
    do { packets = try RTCPPacket.parseCompound(bytes) } catch {
      drops.count(.malformed)
      return
    }
    for case .senderReport(let report) in packets {
      for track in participant.tracks { track.receive(report, at: now) }
    }
  }

  private func stateChanged(_ state: MediaTransport.State) {
    switch state {
    case .connected:
      isConnected = true
      participant.connectionChanged(.publisher)
    case .failed(let error): participant.connectionFailed(.publisher, error)
    case .closed: participant.connectionClosed(.publisher)
    case .new, .connecting: break
    }
  }
}
