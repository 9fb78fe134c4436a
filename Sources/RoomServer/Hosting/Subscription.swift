import RTCCore
import Signalling
import Transport

/// One track on its way to one subscriber, from the wish for it until its end.
@NetworkActor final class Subscription {
  let track: PublishedTrack
  let stream: OutgoingStream
  private unowned let media: OutgoingMedia
  /// What flows; nil until the subscriber has accepted the section.
  private(set) var down: DownTrack?
  private var settings: TrackSettings

  /// - Parameter continued: the stream's state after another track, which this one follows in the same section.
  init(
    track: PublishedTrack, stream: OutgoingStream, media: OutgoingMedia, settings: TrackSettings,
    continued: DownTrack? = nil
  ) {
    self.track = track
    self.stream = stream
    self.media = media
    self.settings = settings
    down = continued
    down?.changeTrack()
  }

  var isNegotiated: Bool { down != nil }
  var drops: DropCounters { down?.drops ?? DropCounters() }

  /// The subscriber accepted the section with these numbers.
  func negotiated(_ accepted: AcceptedSection, at now: MonotonicTime) {
    guard down == nil else { return }
    down = DownTrack(
      configuration: .init(
        kind: track.kind, ssrc: stream.ssrc, rtxSSRC: accepted.rtxPayloadType == nil ? nil : stream.rtxSSRC,
        payloadType: accepted.payloadType, rtxPayloadType: accepted.rtxPayloadType,
        clockRate: track.up.configuration.clockRate, cname: stream.cname, audioLevelID: accepted.audioLevelID,
        mid: accepted.midID.map { .init(id: $0, data: HeaderExtension.data(text: accepted.mid)) }),
      target: nil, rtxSequence: ServerContext.randomNumber(UInt16.self))
    retarget(at: now)
  }

  func apply(_ settings: TrackSettings, at now: MonotonicTime) {
    self.settings = settings
    retarget(at: now)
  }

  /// Chooses the layer anew and asks for the key frame that it needs.
  func retarget(at now: MonotonicTime) {
    guard down != nil, media.isConnected else { return }
    var target: Int?
    if !track.isMuted, let wanted = LayerSelector.wanted(by: settings, of: track.layers) {
      target = LayerSelector.available(wanted, active: track.up.activeLayers(at: now))
    }
    if down?.target != target { down?.setTarget(target) }
    requestKeyFrameIfNeeded(at: now)
  }

  func forward(_ packet: UpPacket, at now: MonotonicTime) {
    if let outgoing = down?.forward(packet, at: now) { media.send(outgoing) }
  }

  /// The subscriber misses packets.
  func resend(_ lost: [SequenceNumber], at now: MonotonicTime) {
    for packet in down?.resend(lost, at: now) ?? [] { media.send(packet) }
  }

  /// The subscriber lost the picture.
  func keyFrameRequested(at now: MonotonicTime) {
    down?.keyFrameRequested()
    requestKeyFrameIfNeeded(at: now)
  }

  /// The report that is due, or nil.
  func report(at now: MonotonicTime) -> [RTCPPacket]? {
    guard let layer = down?.currentLayer else { return nil }
    return down?.report(clock: track.up.clock(of: layer), at: now)
  }

  private func requestKeyFrameIfNeeded(at now: MonotonicTime) {
    if let layer = down?.layerAwaitingKeyFrame { track.requestKeyFrame(of: layer, at: now) }
  }
}
