import Conference
import Foundation
import Media
import RTCCore

/// Takes pictures from a source at their pace, encodes them, and hands the frames on, on a thread of its own.
///
/// The thread ends with the source, when the publication ends, or at the first error.
final class CameraThread: Sendable {
  /// A picture this late is skipped rather than sent: what is live stays live.
  private static let tolerance = 2

  private let layers: [LayerID]
  private let demand: PublicationDemand
  private let clock: @Sendable () -> MonotonicTime
  private let deliver: @Sendable (EncodedFrame, LayerID) -> Void

  /// - Parameters:
  ///   - layers: names of the encoder's layers, lowest first.
  ///   - encoder: nil when the source gives encoded frames only.
  ///   - onEnd: called once, on the thread; with the error if there was one.
  init(
    source: sending any VideoSource, layers: [LayerID], encoder: sending SimulcastEncoder?, demand: PublicationDemand,
    clock: @escaping @Sendable () -> MonotonicTime, deliver: @escaping @Sendable (EncodedFrame, LayerID) -> Void,
    onEnd: @escaping @Sendable (MediaError?) -> Void
  ) {
    self.layers = layers
    self.demand = demand
    self.clock = clock
    self.deliver = deliver
    nonisolated(unsafe) let source = source
    nonisolated(unsafe) let encoder = encoder
    let thread = Thread { [self] in
      do throws(MediaError) {
        try run(source, encoder)
        onEnd(nil)
      } catch {
        onEnd(error)
      }
    }
    thread.name = "camera"
    thread.start()
  }

  private func run(_ source: any VideoSource, _ encoder: SimulcastEncoder?) throws(MediaError) {
    let start = clock()
    let tooLate = source.format.frameInterval * Self.tolerance
    while !demand.isEnded, let frame = try source.nextFrame() {
      let due = start + frame.offset
      let now = clock()
      if due > now { Thread.sleep(forTimeInterval: (due - now).inSeconds) }
      let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: Int64(frame.offset.inSeconds * Double(ClockRate.video))))
      switch frame.content {
      case .picture(let picture):
        guard let encoder, now - due < tooLate else { continue }
        try encode(picture, with: encoder, timestamp: timestamp)
      case .encoded(let payload, let isKeyFrame):
        guard let layer = layers.last, demand.layers.contains(layer) else { continue }
        let captured = clock()
        let encoded = EncodedFrame(
          isKeyFrame: isKeyFrame, timestamp: timestamp, payload: payload, startedAt: captured, completedAt: captured)
        deliver(encoded, layer)
      }
    }
  }

  private func encode(
    _ picture: I420Buffer, with encoder: SimulcastEncoder, timestamp: RTPTimestamp
  ) throws(MediaError) {
    let wanted = demand.layers
    for (index, layer) in layers.enumerated() { encoder.setActive(wanted.contains(layer), layer: index) }
    for layer in demand.takeKeyFrameRequests() {
      if let index = layers.firstIndex(of: layer) { encoder.forceKeyFrame(layer: index) }
    }
    guard !wanted.isEmpty else { return }
    for output in try encoder.encode(picture, timestamp: timestamp, capturedAt: clock()) {
      deliver(output.frame, layers[output.layer])
    }
  }
}
