import RTCCore
import Signalling
import Transport

/// A track that a participant announced and negotiated, and those who get it.
@NetworkActor final class PublishedTrack {
  unowned let owner: Participant
  /// The id by which the publisher knows it.
  let cid: String
  private(set) var info: LiveKit.TrackInfo
  private(set) var mid: String
  private(set) var up: UpTrack
  /// Lowest first.
  private(set) var layers: [LayerDescription]
  private(set) var subscriptions: [Subscription] = []
  /// Nobody announced sizes, so they are read from key frames.
  private let learnsSizes: Bool
  private var rates: [LayerRate]

  init(owner: Participant, pending: PendingTrack, section: PublisherAnswer.Section) {
    self.owner = owner
    cid = pending.request.cid
    mid = section.mid
    var info = pending.info
    info.mid = section.mid
    info.mimeType = section.kind == .video ? "video/VP8" : "audio/opus"
    let announced = info.layers.sorted { $0.quality.rawValue < $1.quality.rawValue }
    let count = max(1, section.rids.count)
    learnsSizes = section.kind == .video && announced.allSatisfy { $0.width == 0 || $0.height == 0 }
    layers = (0..<count).map { index in
      // Announced layers fit the negotiated ones by their order; a single stream is the largest that was announced.
      let layer = count == 1 ? announced.last : announced.count == count ? announced[index] : nil
      return LayerDescription(
        quality: layer?.quality.rawValue ?? (count == 1 ? 2 : index), width: Int(layer?.width ?? 0),
        height: Int(layer?.height ?? 0))
    }
    if section.kind == .video {
      info.isSimulcast = count > 1
      if announced.count == count {
        info.layers = announced.enumerated().map { index, layer in
          var layer = layer
          layer.spatialLayer = Int32(index)
          if section.rids.indices.contains(index) { layer.rid = section.rids[index] }
          return layer
        }
      }
      for index in info.codecs.indices {
        info.codecs[index].mid = section.mid
        info.codecs[index].layers = info.layers
      }
    }
    self.info = info
    rates = Array(repeating: LayerRate(), count: count)
    up = UpTrack(
      configuration: .init(
        kind: section.kind, clockRate: section.kind == .video ? ClockRate.video : ClockRate.opus, layerCount: count,
        supportsNACK: section.supportsNACK, audioLevelID: section.audioLevelID))
  }

  var sid: String { info.sid }
  var kind: MediaKind { up.configuration.kind }
  var isMuted: Bool { info.isMuted }

  func setMuted(_ isMuted: Bool, at now: MonotonicTime) {
    info.isMuted = isMuted
    for subscription in subscriptions { subscription.retarget(at: now) }
  }

  func add(_ subscription: Subscription) { subscriptions.append(subscription) }
  func remove(_ subscription: Subscription) { subscriptions.removeAll { $0 === subscription } }

  /// One packet from the publisher, to everybody who gets this track.
  func receive(_ packet: RTPPacket, binding: StreamBinder.Binding, at now: MonotonicTime) {
    let received: UpPacket?
    if binding.isRetransmission {
      received = up.receiveRetransmission(
        packet, layer: binding.layer, originalPayloadType: binding.payloadType, at: now)
    } else {
      up.bind(layer: binding.layer, to: packet.ssrc)
      received = up.receive(packet, layer: binding.layer, at: now)
    }
    guard let received else { return }
    if rates.indices.contains(received.layer) { rates[received.layer].add(packet.payload.count, at: now) }
    if learnsSizes, received.startsKeyFrame { learnSize(received) }
    for subscription in subscriptions { subscription.forward(received, at: now) }
  }

  func receive(_ report: SenderReport, at now: MonotonicTime) { up.receive(report, at: now) }

  /// Asks the publisher for a key frame of a layer, unless that was done a moment ago.
  func requestKeyFrame(of layer: Int, at now: MonotonicTime) {
    guard kind == .video, let ssrc = up.requestKeyFrame(of: layer, at: now) else { return }
    owner.publisher?.requestKeyFrame(of: ssrc)
  }

  /// Follows layers that stop and start, and asks again for key frames that have not come.
  func advance(to now: MonotonicTime) {
    guard kind == .video else { return }
    for subscription in subscriptions { subscription.retarget(at: now) }
  }

  /// Bits a second of a layer's payloads, as of the last whole second.
  func bitrate(of layer: Int) -> Int { rates.indices.contains(layer) ? rates[layer].bitrate : 0 }

  /// Encoders over WHIP say in no description how large their layers are, and may change it at any time.
  private func learnSize(_ packet: UpPacket) {
    guard let header = try? VP8FrameHeader(parsing: packet.packet.payload, at: packet.vp8Length),
      let size = header.size, layers.indices.contains(packet.layer),
      layers[packet.layer].width != size.width || layers[packet.layer].height != size.height
    else { return }
    layers[packet.layer].width = size.width
    layers[packet.layer].height = size.height
    if info.layers.indices.contains(packet.layer) {
      info.layers[packet.layer].width = UInt32(size.width)
      info.layers[packet.layer].height = UInt32(size.height)
      for index in info.codecs.indices { info.codecs[index].layers = info.layers }
    }
    info.width = UInt32(layers.map(\.width).max() ?? 0)
    info.height = UInt32(layers.map(\.height).max() ?? 0)
    owner.tracksDescribed()
  }

  func takeNACKs(sender: SSRC, at now: MonotonicTime) -> [GenericNACK] { up.takeNACKs(sender: sender, at: now) }
  func makeReportBlocks(at now: MonotonicTime) -> [ReportBlock] { up.makeReportBlocks(at: now) }
  func level(at now: MonotonicTime) -> Double { isMuted ? 0 : up.level(at: now) }
}

/// A track that was announced and waits for the offer that carries it.
struct PendingTrack {
  var request: LiveKit.AddTrackRequest
  var info: LiveKit.TrackInfo

  /// The description that others will see, under a new sid.
  init(_ request: LiveKit.AddTrackRequest) {
    self.request = request
    info = LiveKit.TrackInfo()
    info.sid = ServerContext.makeID("TR_" + Self.infix(of: request))
    info.type = request.type
    info.name = request.name
    info.isMuted = request.isMuted
    info.width = request.width
    info.height = request.height
    info.source = request.source
    info.stream = request.stream
    info.encryption = request.encryption
    info.disablesRED = true
    info.disablesDTX = request.disablesDTX
    info.isStereo = request.isStereo
    info.mimeType = request.type == .video ? "video/VP8" : "audio/opus"
    guard request.type == .video else { return }
    let offered = request.simulcastCodecs.first { $0.codec.lowercased().hasSuffix("vp8") }
    info.layers = request.layers.isEmpty ? offered?.layers ?? [] : request.layers
    info.layers = Array(info.layers.prefix(PublisherAnswer.maximumLayers))
    var codec = LiveKit.SimulcastCodecInfo()
    codec.mimeType = info.mimeType
    codec.cid = request.cid
    codec.layers = info.layers
    codec.layerMode = .oneSpatialLayerPerStream
    info.codecs = [codec]
  }

  /// The server's usual two letters: kind and source.
  private static func infix(of request: LiveKit.AddTrackRequest) -> String {
    let source =
      switch request.source {
      case .camera: "C"
      case .microphone: "M"
      case .screenShare: "S"
      case .screenShareAudio: "s"
      case .unknown: "U"
      }
    return (request.type == .video ? "V" : "A") + source
  }
}
