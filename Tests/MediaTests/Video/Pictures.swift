import Foundation
import RTCCore
import Synchronization

@testable import Media

/// A smooth colour picture with a bright block that moves right by 4 pixels a frame.
func movingPicture(width: Int, height: Int, frame: Int, stamp: FrameStamp? = nil) -> I420Buffer {
  let picture = MutableI420(width: width, height: height)
  let block = (frame * 4) % max(1, width - width / 4)
  for y in 0..<height {
    for x in 0..<width {
      let inBlock = x >= block && x < block + width / 4 && y > height / 4 && y < height / 2
      picture.set(.y, x: x, y: y, to: inBlock ? 220 : UInt8(40 + 120 * x / width + 40 * y / height))
    }
  }
  for y in 0..<picture.layout.chromaHeight {
    for x in 0..<picture.layout.chromaWidth {
      picture.set(.u, x: x, y: y, to: UInt8(90 + 60 * x / picture.layout.chromaWidth))
      picture.set(.v, x: x, y: y, to: UInt8(100 + 60 * y / picture.layout.chromaHeight))
    }
  }
  stamp?.write(into: picture)
  return picture.finish()
}

/// Peak signal-to-noise ratio of the luma planes in decibels.
func lumaPSNR(_ left: I420Buffer, _ right: I420Buffer) -> Double {
  guard left.width == right.width, left.height == right.height else { return 0 }
  var sum = 0
  for y in 0..<left.height {
    for x in 0..<left.width {
      let difference = Int(left[.y, x, y]) - Int(right[.y, x, y])
      sum += difference * difference
    }
  }
  guard sum > 0 else { return 100 }
  return 10 * log10(255 * 255 * Double(left.width * left.height) / Double(sum))
}

/// A clock that stands until it is told.
final class VirtualClock: Sendable {
  private let time = Mutex(MonotonicTime.zero)
  var now: MonotonicTime { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// Runs jobs when asked, on the asking thread.
final class ManualExecutor: DecodeExecutor {
  private let jobs = Mutex<[@Sendable () -> Void]>([])

  func schedule(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

  /// One job; false when none waited.
  @discardableResult func runOne() -> Bool {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    job()
    return true
  }
  func runAll() { while runOne() {} }
}

/// Encoded frames of ``movingPicture(width:height:frame:stamp:)`` at 30 a second, key frames where asked.
func encodedFrames(
  _ count: Int, width: Int = 160, height: Int = 90, keyFramesAt: Set<Int> = [0], startingAt first: Int = 0
) throws -> [EncodedFrame] {
  let encoder = try VP8Encoder(.init(width: width, height: height, bitrate: 200_000), clock: { .zero })
  return try (0..<count).map { index in
    if keyFramesAt.contains(index) { encoder.forceKeyFrame() }
    return try encoder.encode(
      movingPicture(width: width, height: height, frame: first + index),
      timestamp: RTPTimestamp(UInt32((first + index) * 3000)), capturedAt: .zero)
  }
}

/// A file of its own that is gone when the test is.
final class TemporaryFile {
  let path = NSTemporaryDirectory() + "confab-test-\(UUID().uuidString)"
  init(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
