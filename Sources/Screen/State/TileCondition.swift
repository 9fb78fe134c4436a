import Conference
import RTCCore

/// Why a tile shows what it shows, for a person who asks.
struct TileCondition: Equatable {
  enum Severity: Equatable {
    /// A picture in motion.
    case fine
    /// No picture, or a standing one, and nobody is to blame.
    case quiet
    /// Something does not work as it should.
    case trouble
  }

  var text: SanitizedText
  var severity: Severity
  /// How long the picture has been standing; nil while it moves or there is none to be expected.
  var frozenFor: Duration?

  /// Without a packet for this long something is wrong: even a still screen share sends one a second.
  private static let packetPatience = Duration.milliseconds(1_500)
  private static let picturePatience = Duration.milliseconds(1_200)
  /// Key frames are commonly asked for and there within this time.
  private static let keyFramePatience = Duration.milliseconds(500)

  /// Pictures a second below which a camera is no longer seen as moving.
  static let slowRate = 5.0

  init(_ text: SanitizedText, _ severity: Severity, frozenFor: Duration? = nil) {
    self.text = text
    self.severity = severity
    self.frozenFor = frozenFor
  }

  init(of tile: TileID, in state: ScreenState) {
    guard let track = state.track(of: tile) else {
      self.init("sends no video", .quiet)
      return
    }
    let isScreen = track.source == .screenShare
    if state.isVideoOff(tile) {
      self.init("video is switched off here: nothing is asked for", .quiet)
    } else if track.isMuted {
      self.init(isScreen ? "the sender paused the screen" : "the sender muted its camera", .quiet)
    } else if state.participant(of: tile)?.isLocal ?? false {
      self.init("our own picture: it is sent, not received", .quiet)
    } else if !track.isSubscribed {
      self.init("the server has not offered this track yet", .trouble)
    } else if !track.isActive {
      self.init("the server paused this track", .trouble)
    } else if state.requested[track.id] == .off {
      self.init("hidden: nothing is asked for", .quiet)
    } else {
      self = Self.ofMedia(track, in: state)
    }
  }

  private static func ofMedia(_ track: Track, in state: ScreenState) -> TileCondition {
    guard let figures = state.statistics[track.id] else {
      return TileCondition(state.subject == .files ? "plays" : "waiting for the first packets", .quiet)
    }
    let frozen = figures.width > 0 ? figures.sinceLastPicture.flatMap { $0 > picturePatience ? $0 : nil } : nil
    func trouble(_ text: String) -> TileCondition { TileCondition(SanitizedText(text), .trouble, frozenFor: frozen) }
    if let silence = figures.sinceLastPacket, silence > packetPatience {
      let hasBegun = figures.packetsReceived > 0
      return trouble(
        hasBegun ? "no packets for \(secondsText(silence))" : "no packet came yet, in \(secondsText(silence))")
    }
    if let waiting = figures.waitingForKeyFrame, waiting > keyFramePatience {
      let requests = figures.keyFrameRequestsWhileWaiting
      return trouble(
        "waiting for a key frame since \(secondsText(waiting)); "
          + (requests == 1 ? "1 request sent" : "\(requests) requests sent"))
    }
    if figures.width == 0 { return TileCondition("waiting for the first picture", .quiet) }
    if let frozen { return trouble("packets come, but no whole picture for \(secondsText(frozen))") }
    let loss = Int(nearest: state.loss(of: track.id) * 100)
    if loss >= 2 { return trouble("\(loss)% of the packets are lost on the way") }
    if track.source != .screenShare, figures.framesPerSecond < slowRate {
      return trouble(slowness(Int(nearest: figures.framesPerSecond)))
    }
    if case .layer(let asked)? = state.requested[track.id], let received = state.receivedLayer(of: track),
      received != asked
    {
      return TileCondition(
        SanitizedText("layer \(asked.rawValue) is asked for, \(received.rawValue) comes"), .quiet)
    }
    return TileCondition("the picture is in motion", .fine)
  }
}

private func slowness(_ rate: Int) -> String {
  switch rate {
  case 0: "no picture came in the last second"
  case 1: "only one picture a second comes"
  default: "only \(rate) pictures a second come"
  }
}

/// `2.1 s`, `75 s`, `3:05 min`.
func secondsText(_ duration: Duration) -> String {
  let tenths = max(0, duration.inNanoseconds / 100_000_000)
  if tenths < 100 { return "\(tenths / 10).\(tenths % 10) s" }
  return tenths < 1_200 ? "\(tenths / 10) s" : "\(durationText(duration)) min"
}
