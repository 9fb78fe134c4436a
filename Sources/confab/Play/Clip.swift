import Foundation
import Media
import RTCCore
import Terminal

/// One video file as a track of its own: encoded frames go through the decoder, raw pictures through an encoder first,
/// so that both take the path that a room's video takes.
final class Clip {
  let name: String
  let format: VideoFormat
  private let source: any VideoSource
  private let encoder: SimulcastEncoder?

  init(path: String, loops: Bool) throws(MediaError) {
    name = URL(fileURLWithPath: path).lastPathComponent
    source = try VideoFile.open(path, loops: loops)
    format = source.format
    encoder =
      source is IVFReader
      ? nil
      : try SimulcastEncoder(
        layers: [
          SimulcastEncoder.Layer(
            width: format.width & ~1, height: format.height & ~1,
            // Generous, so that what is judged is the drawing and not the encoder.
            bitrate: max(500_000, format.width * format.height * format.framesPerSecond / 4))
        ], framesPerSecond: format.framesPerSecond, clock: { TerminalSession.now })
  }

  /// The next frame and when it is due, counted from the first; nil at the end.
  func next() throws(MediaError) -> (frame: EncodedFrame, offset: Duration)? {
    guard let frame = try source.nextFrame() else { return nil }
    let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: Int64(frame.offset.inSeconds * Double(ClockRate.video))))
    let now = TerminalSession.now
    switch frame.content {
    case .encoded(let payload, let isKeyFrame):
      return (
        EncodedFrame(isKeyFrame: isKeyFrame, timestamp: timestamp, payload: payload, startedAt: now, completedAt: now),
        frame.offset
      )
    case .picture(let picture):
      guard let output = try encoder?.encode(picture, timestamp: timestamp, capturedAt: now).first else { return nil }
      return (output.frame, frame.offset)
    }
  }
}
