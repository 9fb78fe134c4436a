import RTCCore
import Signalling
import Transport

/// One track on its way to one subscriber, from the wish for it until its end.
@NetworkActor final class Subscription {
  let track: PublishedTrack
  let media: SubscriberSections.Media
  /// The section of the subscriber's connection that carries it.
  let mid: String
  private unowned let connection: SubscriberConnection
  /// What flows; nil until the subscriber has accepted the section.
  private var down: DownTrack?
  private var settings: TrackSettings

  init(
    track: PublishedTrack, media: SubscriberSections.Media, mid: String, connection: SubscriberConnection,
    settings: TrackSettings
  ) {
    self.track = track
    self.media = media
    self.mid = mid
    self.connection = connection
    self.settings = settings
  }

  var isNegotiated: Bool { down != nil }
  var drops: DropCounters { down?.drops ?? DropCounters() }

  /// The subscriber accepted the section with these numbers.
  func negotiated(_ accepted: SubscriberSections.Accepted, at now: MonotonicTime) {
    guard down == nil else { return }
    down = DownTrack(
      configuration: .init(
        kind: track.kind, ssrc: media.ssrc, rtxSSRC: accepted.rtxPayloadType == nil ? nil : media.rtxSSRC,
        payloadType: accepted.payloadType, rtxPayloadType: accepted.rtxPayloadType,
        clockRate: track.up.configuration.clockRate, cname: media.streamID, audioLevelID: accepted.audioLevelID),
      target: nil, rtxSequence: ServerContext.randomNumber(UInt16.self))
    retarget(at: now)
  }

  func apply(_ settings: TrackSettings, at now: MonotonicTime) {
    self.settings = settings
    retarget(at: now)
  }

  /// Chooses the layer anew and asks for the key frame that it needs.
  func retarget(at now: MonotonicTime) {
    guard down != nil, connection.isConnected else { return }
    var target: Int?
    if !track.isMuted, let wanted = LayerSelector.wanted(by: settings, of: track.layers) {
      target = LayerSelector.available(wanted, active: track.up.activeLayers(at: now))
    }
    if down?.target != target { down?.setTarget(target) }
    requestKeyFrameIfNeeded(at: now)
  }

  func forward(_ packet: UpPacket, at now: MonotonicTime) {
    if let outgoing = down?.forward(packet, at: now) { connection.send(outgoing) }
  }

  /// The subscriber misses packets.
  func resend(_ lost: [SequenceNumber], at now: MonotonicTime) {
    for packet in down?.resend(lost, at: now) ?? [] { connection.send(packet) }
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
