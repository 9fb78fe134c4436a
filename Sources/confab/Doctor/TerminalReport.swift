import Foundation
import Screen
import Terminal

/// What the doctor says of the terminal: each thing that was found, and in parentheses why it is believed.
enum TerminalReport {
  static func lines(asksTerminal: Bool) -> [DoctorFinding] {
    // Mistakes in the configuration have a line of their own.
    let configuration = try? Configuration(
      environment: ProcessInfo.processInfo.environment, flags: Confab.commands.flatMap { $0.flags })
    let wishes = ColorWishes(
      configuration?.text("--colors").flatMap { ColorDepth(rawValue: $0) }, from: configuration?.origin("--colors"))
    do throws(TerminalError) {
      let (found, terminfo, size) = try TerminalFindings.examine(asksTerminal: asksTerminal, wishes: wishes)
      return [
        line("terminal", found.terminal.value, found.terminal.reason), window(size), colors(found, terminfo),
        glyphs(found), wholeFrames(found), repeats(found), graphics(found), cells(found, size), background(found),
        inside(found), link(found),
      ]
    } catch {
      return [DoctorFinding(verdict: .bad, subject: "terminal", text: "\(error)", code: .usage), glyphs()]
    }
  }

  private static func line(
    _ subject: String, _ value: String, _ reason: String, advice: String? = nil
  ) -> DoctorFinding {
    DoctorFinding(
      verdict: advice == nil ? .good : .note, subject: subject,
      text: "\(value) (\(reason))" + (advice.map { "; \($0)" } ?? ""))
  }

  private static func window(_ size: TerminalSize?) -> DoctorFinding {
    guard let size else {
      return DoctorFinding(
        verdict: .note, subject: "size",
        text: "\(TerminalSession.obstacle ?? "this is not a terminal"); only --headless works here")
    }
    return DoctorFinding(verdict: .good, subject: "size", text: "\(size.columns)x\(size.rows) cells")
  }

  private static func colors(_ found: TerminalFindings, _ terminfo: TerminalDescription) -> DoctorFinding {
    let reason = found.colors.reason
    switch found.colors.value {
    case .trueColor: return line("colours", "24 bits", reason)
    case .indexed256:
      let advice =
        if case .screen = found.multiplexer.value {
          "tmux would hand on 24-bit colours"
        } else {
          "if the terminal can do more, set COLORTERM=truecolor or give --colors 24bit"
        }
      return line("colours", "256", reason, advice: advice)
    case .indexed16, .indexed8:
      return line(
        "colours", found.colors.value.rawValue, reason,
        advice: "if the terminal can do more, set TERM to its real type or give --colors 256")
    case .none:
      return line(
        "colours", "none, pictures in shades of light", reason,
        advice: reason.hasPrefix("NO_COLOR") ? "--colors overrules it" : "--colors 8 tries colours all the same")
    }
  }

  private static func glyphs(_ found: TerminalFindings) -> DoctorFinding { glyphs(found.showsUnicode) }
  private static func glyphs() -> DoctorFinding { glyphs(TerminalLocale.showsUnicode) }

  private static func glyphs(_ unicode: TerminalFindings.Finding<Bool>) -> DoctorFinding {
    unicode.value
      ? line("glyphs", "half blocks", unicode.reason)
      : line(
        "glyphs", "ASCII", "\(unicode.reason), which is not UTF-8",
        advice: "if the terminal shows UTF-8, set LC_ALL=C.UTF-8 or give --glyphs half")
  }

  private static func wholeFrames(_ found: TerminalFindings) -> DoctorFinding {
    line(
      "frames", found.synchronizedUpdates.value ? "shown whole" : "shown as they arrive",
      found.synchronizedUpdates.reason)
  }

  private static func repeats(_ found: TerminalFindings) -> DoctorFinding {
    line("repeating", found.repeats.value ? "glyphs are repeated by number" : "not used", found.repeats.reason)
  }

  private static func graphics(_ found: TerminalFindings) -> DoctorFinding {
    let sixel = found.sixel.value.map { sixel in
      "sixel with \(sixel.colors) colours" + (sixel.size.map { " up to \($0.width)x\($0.height) pixels" } ?? "")
    }
    switch (found.kittyGraphics.value, sixel) {
    case (true, let sixel?): return line("graphics", "Kitty's, and \(sixel)", found.kittyGraphics.reason)
    case (true, nil): return line("graphics", "Kitty's", found.kittyGraphics.reason)
    case (false, let sixel?): return line("graphics", sixel, found.sixel.reason)
    case (false, nil):
      return line(
        "graphics", "none", "Kitty's: \(found.kittyGraphics.reason); sixel: \(found.sixel.reason)")
    }
  }

  private static func cells(_ found: TerminalFindings, _ size: TerminalSize?) -> DoctorFinding {
    guard let pixels = found.cellPixels.value else { return line("cells", "size not known", found.cellPixels.reason) }
    return line("cells", "\(pixels.width)x\(pixels.height) pixels", found.cellPixels.reason)
  }

  private static func background(_ found: TerminalFindings) -> DoctorFinding {
    guard let color = found.background.value else {
      return line("background", "not known", found.background.reason)
    }
    // ITU-R BT.709 weights; half of the range parts dark from light.
    let light = Double(color >> 16) * 0.2126 + Double(color >> 8 & 255) * 0.7152 + Double(color & 255) * 0.0722
    let digits = String(color, radix: 16)
    let code = "#" + String(repeating: "0", count: 6 - digits.count) + digits
    return line("background", "\(light < 128 ? "dark" : "light"), \(code)", found.background.reason)
  }

  private static func inside(_ found: TerminalFindings) -> DoctorFinding {
    line("inside", found.multiplexer.value.map(\.description) ?? "no multiplexer", found.multiplexer.reason)
  }

  private static func link(_ found: TerminalFindings) -> DoctorFinding {
    line("link", found.remote.value.map { "over \($0)" } ?? "on this machine", found.remote.reason)
  }
}
