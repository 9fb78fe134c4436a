import Conference
import RTCCore

extension TrackSource {
  init(_ source: LiveKit.TrackSource) {
    switch source {
    case .unknown: self = .unknown
    case .camera: self = .camera
    case .microphone: self = .microphone
    case .screenShare: self = .screenShare
    case .screenShareAudio: self = .screenShareAudio
    }
  }
}

extension LiveKit.TrackSource {
  init(_ source: TrackSource) {
    switch source {
    case .unknown: self = .unknown
    case .camera: self = .camera
    case .microphone: self = .microphone
    case .screenShare: self = .screenShare
    case .screenShareAudio: self = .screenShareAudio
    }
  }
}

extension LayerID {
  init?(_ quality: LiveKit.VideoQuality) {
    switch quality {
    case .low: self = .low
    case .medium: self = .medium
    case .high: self = .high
    case .off: return nil
    }
  }
}

extension LiveKit.VideoQuality {
  init(_ layer: LayerID) {
    switch layer {
    case .low: self = .low
    case .medium: self = .medium
    case .high: self = .high
    }
  }
}

extension Track {
  /// Nil for data tracks and for tracks without an id.
  init?(_ info: LiveKit.TrackInfo) {
    guard !info.sid.isEmpty, info.type != .data else { return nil }
    let kind: MediaKind = info.type == .audio ? .audio : .video
    self.init(
      id: TrackID(info.sid), kind: kind, source: TrackSource(info.source), name: info.name, isMuted: info.isMuted)
    guard kind == .video else { return }
    width = pixels(info.width)
    height = pixels(info.height)
    layers = Self.layers(of: info)
    // Publishers without simulcast often name no layer at all.
    if layers.isEmpty { layers = [Conference.VideoLayer(id: .high, width: width, height: height)] }
  }

  /// The layers of the codec that we decode, or of the first that names some; older servers list them outside codecs.
  private static func layers(of info: LiveKit.TrackInfo) -> [Conference.VideoLayer] {
    let codec =
      info.codecs.first { $0.mimeType.lowercased() == "video/vp8" && !$0.layers.isEmpty }
      ?? info.codecs.first { !$0.layers.isEmpty }
    var layers: [Conference.VideoLayer] = []
    for layer in codec?.layers ?? info.layers {
      guard let id = LayerID(layer.quality), !layers.contains(where: { $0.id == id }) else { continue }
      layers.append(
        Conference.VideoLayer(
          id: id, width: pixels(layer.width), height: pixels(layer.height), bitrate: Int(min(layer.bitrate, 1 << 30))))
    }
    return layers.sorted { $0.id < $1.id }
  }
}

/// No codec has larger pictures than 16 bits say; a stranger's number must not grow anything further.
private func pixels(_ value: UInt32) -> Int { Int(min(value, 65_535)) }

extension Conference.ConnectionQuality {
  init(_ quality: LiveKit.ConnectionQuality) {
    switch quality {
    case .poor: self = .poor
    case .good: self = .good
    case .excellent: self = .excellent
    case .lost: self = .lost
    }
  }
}

extension LeaveReason {
  init(_ leave: LiveKit.LeaveRequest) {
    switch leave.reason {
    case .clientInitiated: self = .requested
    case .duplicateIdentity: self = .duplicateIdentity
    case .participantRemoved: self = .removed
    case .roomDeleted, .roomClosed: self = .roomClosed
    case .serverShutdown: self = .serverShutdown
    case .signalClose, .connectionTimeout, .stateMismatch, .migration: self = .connectionLost
    case .mediaFailure: self = .mediaFailed
    case .unknown, .joinFailure, .userUnavailable, .userRejected, .sipTrunkFailure, .agentError:
      // The server wants us back, so it is the connection that failed and not our right to be there.
      self = leave.action == .disconnect ? .unknown : .connectionLost
    }
  }
}

extension ICEServerInfo {
  /// Nil when no URL is one that ICE knows.
  init?(_ server: LiveKit.ICEServer) {
    let schemes = ["stun:", "stuns:", "turn:", "turns:"]
    let urls = server.urls.filter { url in url.utf8.count <= 512 && schemes.contains { url.hasPrefix($0) } }
    guard !urls.isEmpty else { return nil }
    self.init(urls: urls, username: server.username, credential: server.credential)
  }
}
