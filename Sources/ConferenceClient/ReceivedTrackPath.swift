import Media
import RTCCore
import Signalling
import Transport

/// One received track between the network and its decoder.
@NetworkActor
final class ReceivedTrackPath {
  let description: ReceivedTrack
  let video: VideoPlayback?
  let audio: AudioTrackPlayback?
  private weak var mixer: AudioMixer?
  private var receiver: VideoReceiver?
  private var reception: ReceptionStatistics
  private var rate = RateWindow()
  /// When the receiver wants to be woken.
  private(set) var deadline: MonotonicTime?
  private(set) var lastSenderReport: SenderReport?

  init(video description: ReceivedTrack, playback: VideoPlayback, localSSRC: SSRC) {
    self.description = description
    video = playback
    audio = nil
    reception = ReceptionStatistics(ssrc: description.ssrc ?? SSRC(0), clockRate: ClockRate.video)
    receiver = VideoReceiver(
      VideoReceiver.Configuration(
        ssrc: description.ssrc ?? SSRC(0), rtxSSRC: description.rtxSSRC, payloadTypes: Set(description.payloadTypes),
        rtxPayloadTypes: description.rtxPayloadTypes, supportsNACK: description.supportsNACK,
        supportsPLI: description.supportsPLI, localSSRC: localSSRC))
  }

  init(audio description: ReceivedTrack, playback: AudioTrackPlayback, mixer: AudioMixer) {
    self.description = description
    video = nil
    audio = playback
    self.mixer = mixer
    reception = ReceptionStatistics(ssrc: description.ssrc ?? SSRC(0), clockRate: ClockRate.opus)
  }
}
