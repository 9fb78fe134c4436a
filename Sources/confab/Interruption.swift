import Dispatch
import Glibc

/// Waits for somebody to ask the process to end.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// SIGINT, SIGTERM or SIGHUP, whichever comes first; nil when the task was cancelled before any came.
  ///
  /// While this waits those signals do not end the process; afterwards they do as usual.
  static func next() async -> Int32? {
    let watch = Watch()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { watch.start($0) }
    } onCancel: {
      watch.finish(nil)
    }
  }

  /// All state belongs to the queue.
  private final class Watch: @unchecked Sendable {
    private let queue = DispatchQueue(label: "signals")
    private var continuation: CheckedContinuation<Int32?, Never>?
    private var sources: [any DispatchSourceSignal] = []
    private var isFinished = false

    func start(_ continuation: CheckedContinuation<Int32?, Never>) {
      queue.async { [self] in
        if isFinished { return continuation.resume(returning: nil) }
        self.continuation = continuation
        for number in signals {
          signal(number, SIG_IGN)
          let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
          source.setEventHandler { [self] in settle(number) }
          sources.append(source)
          source.resume()
        }
      }
    }

    func finish(_ number: Int32?) { queue.async { [self] in settle(number) } }

    private func settle(_ number: Int32?) {
      guard !isFinished else { return }
      isFinished = true
      for source in sources { source.cancel() }
      sources = []
      if continuation != nil {
        for number in signals { signal(number, SIG_DFL) }
      }
      continuation?.resume(returning: number)
      continuation = nil
    }
  }
}
