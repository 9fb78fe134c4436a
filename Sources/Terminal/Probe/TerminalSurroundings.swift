internal import Glibc

/// What can be known without the terminal: variables, locale, and the processes above.
struct TerminalSurroundings: Sendable {
  /// Those of ``variables`` that are set.
  var environment: [String: String]
  var showsUnicode: TerminalFindings.Finding<Bool>
  var isUnderMosh = false

  static let variables = [
    "TERM", "COLORTERM", "NO_COLOR", "TMUX", "STY", "ZELLIJ", "TERM_PROGRAM", "KITTY_WINDOW_ID", "WT_SESSION",
    "XTERM_VERSION", "VTE_VERSION", "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT",
  ]

  init(
    environment: [String: String],
    showsUnicode: TerminalFindings.Finding<Bool> = TerminalFindings.Finding(true, "UTF-8"), isUnderMosh: Bool = false
  ) {
    self.environment = environment
    self.showsUnicode = showsUnicode
    self.isUnderMosh = isUnderMosh
  }

  /// Of this process.
  static func current() -> TerminalSurroundings {
    var environment: [String: String] = [:]
    for name in variables { environment[name] = getenv(name).map { String(cString: $0) } }
    return TerminalSurroundings(
      environment: environment, showsUnicode: TerminalLocale.showsUnicode, isUnderMosh: hasAncestor("mosh-server"))
  }

  /// One of the processes above this one has that name. mosh sets no variable; it starts the shell itself.
  private static func hasAncestor(_ name: String) -> Bool {
    var process = getppid()
    for _ in 0..<32 where process > 1 {
      guard let status = readStart(of: "/proc/\(process)/stat"), let open = status.firstIndex(of: "("),
        let close = status.lastIndex(of: ")"), open < close
      else { return false }
      if status[status.index(after: open)..<close] == name { return true }
      // After the name: state, then the parent.
      let fields = status[status.index(after: close)...].split(separator: " ")
      guard fields.count > 1, let parent = pid_t(fields[1]) else { return false }
      process = parent
    }
    return false
  }

  private static func readStart(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}

/// The character encoding of the person's locale.
public enum TerminalLocale {
  /// The terminal is expected to show UTF-8; the reason names the variable.
  public static var showsUnicode: TerminalFindings.Finding<Bool> {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    guard let name = names.first(where: { !variable($0).isEmpty }) else {
      return TerminalFindings.Finding(false, "no locale is set")
    }
    let reason = "\(name)=\(variable(name))"
    guard let locale = newlocale(LC_CTYPE_MASK, variable(name), nil) else {
      // Handed over by ssh, and not installed here: the name is all there is.
      let name = variable(name).lowercased()
      return TerminalFindings.Finding(name.hasSuffix("utf-8") || name.hasSuffix("utf8"), reason)
    }
    defer { freelocale(locale) }
    return TerminalFindings.Finding(strcmp(nl_langinfo_l(nl_item(CODESET), locale), "UTF-8") == 0, reason)
  }

  private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
}
