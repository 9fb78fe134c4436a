internal import Glibc
internal import RTCCore

extension TerminalFindings {
  /// Finds out about the terminal of this process without opening a screen; it is asked on its alternate screen for at
  /// most a quarter of a second, and given back when it has answered, or after a second. Where standard input or output
  /// is no terminal, the environment and terminfo have to do.
  ///
  /// Not while a ``TerminalSession`` is open. Throws when `TERM` names nothing that can be drawn on.
  public static func examine(asksTerminal: Bool = true, wishes: ColorWishes = ColorWishes()) throws(TerminalError)
    -> (findings: TerminalFindings, terminfo: TerminalDescription, size: TerminalSize?)
  {
    let surroundings = TerminalSurroundings.current()
    let terminfo = try TerminalDescription.load(term: surroundings.environment["TERM"] ?? "")
    guard TerminalSession.isInteractive else {
      let findings = TerminalFindings(
        surroundings: surroundings, terminfo: terminfo, wishes: wishes, silence: "this is not a terminal")
      return (findings, terminfo, nil)
    }
    let device = try TerminalDevice(terminfo: terminfo, usesMouse: false)
    // What questions leave behind cannot be told from what was there before.
    let silence =
      !asksTerminal
      ? "--no-probe" : terminfo.enterScreen.isEmpty ? "it has no alternate screen" : nil
    var answers = TerminalAnswers()
    var signals: [Int32] = []
    if silence == nil, device.isForeground {
      let questions = TerminalQuestion.safe(environment: surroundings.environment)
      // Ctrl-C has to wait until the terminal is given back.
      let relay = try SignalRelay()
      let log = try LogCapture()
      if !questions.isEmpty {
        device.take(log: log)
        let askedAt = TerminalSession.now
        let filter: AnswerFilter
        (answers, filter) = TerminalInterview.hold(questions, output: device.descriptor, input: 0)
        TerminalInterview.awaitRest(of: filter, input: 0, until: askedAt + TerminalProbe.patience)
        device.giveBack(log: log)
      }
      signals = relay.take()
    }
    for signal in signals where [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(signal) { raise(signal) }
    let findings = TerminalFindings(
      surroundings: surroundings, terminfo: terminfo, answers: answers, window: device.cellPixels, wishes: wishes,
      silence: silence)
    device.cellAspect = findings.cellAspect
    return (findings, terminfo, device.size)
  }
}
