internal import Glibc

/// A pipe whose ends neither wait nor reach child processes. Whoever holds it closes it.
struct Pipe {
  let readEnd: Int32
  let writeEnd: Int32

  init() throws(TerminalError) {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutableBytes(of: &ends) { pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self)) }
    guard result == 0 else { throw .system(call: "pipe", code: errno) }
    for end in [ends.0, ends.1] {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (readEnd, writeEnd) = ends
  }
}
