internal import Glibc
internal import RTCCore

/// Talks with the terminal that was just taken, before anything is drawn.
enum TerminalInterview {
  /// Asks `questions` and waits for the answers, at most ``TerminalProbe/limit``; what the questions may have left on
  /// the screen is erased. Keys typed until then are forgotten.
  ///
  /// `output` must not block, both are in a mode that hands out every byte at once and echoes none. The filter that is
  /// returned must go on with the input.
  static func hold(
    _ questions: [TerminalQuestion], output: Int32, input: Int32
  ) -> (answers: TerminalAnswers, filter: AnswerFilter) {
    // What was typed to the shell, or for the program before it could show anything.
    tcflush(input, TCIFLUSH)
    var probe = TerminalProbe(questions: questions, at: TerminalSession.now)
    var pending: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1024)
    while true {
      let now = TerminalSession.now
      guard !probe.isFinished(at: now) else { break }
      pending += probe.takeOutput()
      var descriptors = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pending.isEmpty ? -1 : output, events: Int16(POLLOUT), revents: 0),
      ]
      let wait = Int32(((probe.deadline - now).inMilliseconds).rounded(.up))
      guard poll(&descriptors, nfds_t(descriptors.count), max(1, wait)) > 0 else { continue }
      if descriptors[1].revents != 0 {
        let sent = write(output, pending, pending.count)
        if sent > 0 { pending.removeFirst(sent) } else if sent < 0, errno != EAGAIN, errno != EINTR { break }
      }
      if descriptors[0].revents != 0 {
        let count = read(input, &chunk, chunk.count)
        guard count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) else { break }
        probe.receive(chunk.prefix(max(0, count)), at: TerminalSession.now)
      }
    }
    if !questions.isEmpty {
      // Ends a string that was cut off, resets, and erases the whole screen from its first cell.
      let erasing = Array("\u{1B}\\\u{1B}[m\u{1B}[H\u{1B}[2J".utf8)
      erasing.withUnsafeBufferPointer { bytes in
        if let start = bytes.baseAddress { CrashGuard.writeAll(start, bytes.count, to: output) }
      }
    }
    return (probe.answers, probe.filter)
  }

  /// Reads the answers that are still to come after ``hold(_:output:input:)``, as far as they come until `deadline`, for
  /// whoever gives the terminal back at once. Keys are lost.
  static func awaitRest(of filter: AnswerFilter, input: Int32, until deadline: MonotonicTime) {
    var filter = filter
    var chunk = [UInt8](repeating: 0, count: 1024)
    while filter.awaitsAnswers {
      let left = deadline - TerminalSession.now
      guard left > .zero else { return }
      var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, Int32(left.inMilliseconds.rounded(.up))) > 0 else { continue }
      let count = read(input, &chunk, chunk.count)
      guard count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) else { return }
      _ = filter.feed(chunk.prefix(max(0, count)), at: TerminalSession.now)
    }
  }
}
