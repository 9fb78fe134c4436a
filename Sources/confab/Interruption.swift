import Dispatch
import Glibc

/// Waits for somebody to ask the process to end.
enum Interruption {
  /// SIGINT, SIGTERM or SIGHUP, whichever comes first. Further ones end the process as usual.
  static func next() async -> Int32 {
    await withCheckedContinuation { continuation in
      let once = Once(continuation)
      for number in [SIGINT, SIGTERM, SIGHUP] { once.watch(number) }
    }
  }

  private final class Once: @unchecked Sendable {
    private let queue = DispatchQueue(label: "signals")
    private var continuation: CheckedContinuation<Int32, Never>?
    private var sources: [any DispatchSourceSignal] = []

    init(_ continuation: CheckedContinuation<Int32, Never>) { self.continuation = continuation }

    func watch(_ number: Int32) {
      queue.sync {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [self] in
          continuation?.resume(returning: number)
          continuation = nil
          sources = []
          for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        }
        sources.append(source)
        source.resume()
      }
    }
  }
}
