import Conference
import Foundation
import Media
import RTCCore
import Transport

extension RoomConnection {
  /// Publishes a video track whose pictures come from `source`, in these layers, lowest first.
  ///
  /// A source of encoded frames is sent as one layer without being encoded again. The result tells when the source ends.
  @discardableResult
  public func publish(
    _ source: sending any VideoSource, layers: [SimulcastEncoder.Layer], name: String = "camera",
    isEncoded: Bool = false
  ) throws(MediaError) -> Publication {
    let names = LayerPlan.names(count: layers.count)
    let encoder =
      isEncoded
      ? nil
      : try SimulcastEncoder(
        layers: layers, framesPerSecond: source.format.framesPerSecond, clock: { NetworkActor.now })
    let described = zip(names, layers).map {
      VideoLayer(id: $0, width: $1.width, height: $1.height, bitrate: $1.bitrate)
    }
    let track = LocalTrack(localID: Self.newLocalID(), kind: .video, source: .camera, name: name, layers: described)
    let publication = Publication(localID: track.localID)
    let demand = announce(track)
    let localID = track.localID
    _ = CameraThread(
      source: source, layers: names, encoder: encoder, demand: demand, clock: { NetworkActor.now },
      deliver: { [weak self] frame, layer in
        Task { @NetworkActor in self?.sent.send(frame, layer: layer, of: localID) }
      }, onEnd: { publication.finish($0) })
    return publication
  }

  /// Publishes a microphone track whose sound comes from `source`.
  @discardableResult
  public func publish(_ source: sending any AudioSource, name: String = "microphone") -> Publication {
    let track = LocalTrack(localID: Self.newLocalID(), kind: .audio, source: .microphone, name: name)
    let publication = Publication(localID: track.localID)
    let demand = announce(track)
    let localID = track.localID
    _ = MicrophoneThread(
      source: source, demand: demand, clock: { NetworkActor.now },
      deliver: { [weak self] sound in
        Task { @NetworkActor in self?.sent.send(sound, of: localID) }
      }, onEnd: { publication.finish($0) })
    return publication
  }

  /// Ends a track that we publish; its source is not read any more.
  public func unpublish(_ publication: Publication) {
    sent.remove(publication.localID)
    perform(.unpublish(localID: publication.localID))
  }

  /// Mutes a track that we publish, or lets it go on; others are told, and nothing is encoded meanwhile.
  public func setMuted(_ publication: Publication, _ muted: Bool) {
    sent.setMuted(publication.localID, muted)
    perform(.setMuted(localID: publication.localID, muted))
  }

  /// Bits a second that the path to the server is thought to carry, by its feedback about what we sent (transport-wide
  /// congestion control or REMB). 300 000 before any feedback; between 50 000 and 20 000 000. Only sending more finds out more.
  public var estimatedUplink: Int { sent.estimatedBitrate }

  private func announce(_ track: LocalTrack) -> PublicationDemand {
    let demand = sent.add(track)
    perform(.publish(track))
    return demand
  }

  private static func newLocalID() -> String { "TL_" + UUID().uuidString.replacingOccurrences(of: "-", with: "") }
}
