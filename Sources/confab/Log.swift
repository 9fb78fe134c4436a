import Foundation

/// Log lines on standard error: warnings always, the rest on request. Tokens and keys are never given to it.
struct Log: Sendable {
  let isVerbose: Bool
  private static let start = ContinuousClock.now

  var debug: @Sendable (String) -> Void { { [self] in write("debug", $0) } }

  func write(_ level: String, _ message: String) {
    guard isVerbose || level == "warning" || level == "error" else { return }
    let elapsed = ContinuousClock.now - Self.start
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    StandardError.write(String(format: "%.3f %@ %@\n", seconds, level, JSON.text(message).text))
  }
}
