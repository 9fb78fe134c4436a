internal import Glibc
internal import RTCCore

/// Sends one frame's bytes to a terminal that may be slow, without ever waiting for it.
struct FrameWriter {
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var sent = 0

  /// `descriptor` must not block.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Bytes are waiting for the terminal: the next frame is not to be made yet.
  var isBusy: Bool { sent < pending.count }

  /// Bytes of the frame that the terminal has.
  var taken: Int { sent }

  /// What became of a write.
  enum Progress: Equatable {
    /// All is out.
    case done
    /// The terminal takes no more for now; call ``pump()`` when it does.
    case waiting
    /// The terminal is gone.
    case lost
  }

  /// Takes over a frame; only while nothing waits.
  mutating func send(_ frame: UnsafeBufferPointer<UInt8>) -> Progress {
    precondition(!isBusy, "a frame was begun before the one before had left")
    pending.removeAll(keepingCapacity: true)
    sent = 0
    pending.append(contentsOf: frame)
    return pump()
  }

  /// Sends what the terminal takes.
  mutating func pump() -> Progress {
    while isBusy {
      let count = pending.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count > 0 {
        sent += count
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno != EAGAIN {
        discard()
        return .lost
      } else {
        return .waiting
      }
    }
    return .done
  }

  /// Forgets what waits.
  mutating func discard() {
    pending.removeAll(keepingCapacity: true)
    sent = 0
  }
}
