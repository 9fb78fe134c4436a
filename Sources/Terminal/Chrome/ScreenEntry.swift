internal import Glibc

/// A terminfo entry of our own that inherits the real one, for as long as ncurses opens it.
///
/// It knows nothing of scrolling and of inserting or deleting lines: ncurses would use them to move what it believes
/// alike, and the video with it, whatever `idlok` says. Nor of repeating a glyph, which multiplexers and mosh do not do
/// for every glyph. Nor of erasing and of moving the cursor in any way but to a place, so that its bytes tell which cells
/// it wrote (``WrittenCells``). And it has the colours that are to be used, whatever the real one says: entries for 24 bits
/// (`xterm-direct`) are missing on most machines and do not fit every terminal, many with 16 or 256 colours say 8, and
/// some terminals are to be told none.
///
/// `tic` compiles it in a few milliseconds. Where that does not exist ncurses gets the real entry: all video is then
/// sent again whenever chrome changes, and chrome has the nearest of the colours that the entry knows.
final class ScreenEntry {
  static let name = "confab-screen"
  /// What an entry without colours gets for eight.
  private static let eightColors = "confab-colors"
  /// What an entry gets that cannot keep the cursor at the end of a line: without inserting, ncurses could not write into
  /// the last cell of the screen.
  private static let margins = "confab-margins"
  private let directory: String

  /// nil when there is no `tic`, or no place for the file.
  init?(inheriting term: String, depth: ColorDepth) {
    guard term.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) else { return nil }
    var template = Array("/tmp/confab-terminfo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard Self.compile(Self.source(inheriting: term, depth: depth), in: directory) else {
      Self.remove(directory)
      return nil
    }
  }

  deinit { Self.remove(directory) }

  /// Runs `body` while ncurses finds the entry. The environment is changed meanwhile.
  func whileFindable<Result>(_ body: () -> Result) -> Result {
    let before = getenv("TERMINFO_DIRS").map { String(cString: $0) }
    // An empty member stands for the places compiled in.
    setenv("TERMINFO_DIRS", directory + ":" + (before ?? ""), 1)
    defer {
      if let before { setenv("TERMINFO_DIRS", before, 1) } else { unsetenv("TERMINFO_DIRS") }
    }
    return body()
  }

  static func source(inheriting term: String, depth: ColorDepth) -> String {
    """
    \(eightColors)|eight colours of ECMA-48,
    \tcolors#8, pairs#64, op=\\E[39;49m, setaf=\\E[3%p1%dm, setab=\\E[4%p1%dm,
    \(margins)|automatic margins of DEC terminals,
    \tsmam=\\E[?7h, rmam=\\E[?7l,
    \(name)|\(term) for one screen,
    \tcsr@, ind@, indn@, ri@, rin@, il@, il1@, dl@, dl1@, rep@,
    \tel@, el1@, ed@, ech@, ich@, ich1@, dch@, dch1@, smir@, rmir@, mir@,
    \thpa@, vpa@, cuf@, cuf1@, cub@, cub1@, cuu@, cuu1@, cud@, cud1@, home@, ll@, ht@, cbt@, cr@, nel@,
    \(colors(depth))\tuse=\(term), use=\(margins),\(depth == .indexed8 ? " use=\(eightColors)," : "")

    """
  }

  /// What replaces the colours of the real entry; nothing where that has them right.
  private static func colors(_ depth: ColorDepth) -> String {
    switch depth {
    case .trueColor:
      // `setaf` and `setab` split 0xRRGGBB; below 16 they keep the short forms of the terminal's own colours, which
      // ncurses uses for its defaults too.
      func color(_ lead: String, bright: String) -> String {
        "\\E[%?%p1%{8}%<%t\(lead)%p1%d%e%p1%{16}%<%t\(bright)%p1%{8}%-%d"
          + "%e\(lead)8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m"
      }
      return """
        \tRGB, colors#0x1000000, pairs#0x10000,
        \tccc@, initc@, initp@, oc@, setf@, setb@, op=\\E[39;49m,
        \tsetaf=\(color("3", bright: "9")),
        \tsetab=\(color("4", bright: "10")),

        """
    case .indexed256:
      // Short forms for the terminal's own sixteen, which ncurses uses for its defaults too.
      return """
        \tcolors#0x100, pairs#0x10000,
        \tccc@, initc@, initp@, oc@, setf@, setb@, op=\\E[39;49m,
        \tsetaf=\\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m,
        \tsetab=\\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m,

        """
    case .indexed16:
      return """
        \tcolors#16, pairs#0x1000,
        \tccc@, initc@, initp@, oc@, setf@, setb@, op=\\E[39;49m,
        \tsetaf=\\E[%?%p1%{8}%<%t3%p1%d%e%p1%{82}%+%d%;m,
        \tsetab=\\E[%?%p1%{8}%<%t4%p1%d%e%p1%{92}%+%d%;m,

        """
    case .none:
      return "\tcolors@, pairs@, ccc@, initc@, initp@, oc@, setf@, setb@, op@, setaf@, setab@,\n"
    // The entry's own, if it has any.
    case .indexed8: return ""
    }
  }

  private static func compile(_ source: String, in directory: String) -> Bool {
    let path = directory + "/entry"
    guard let file = fopen(path, "w") else { return false }
    let isWritten = fputs(source, file) >= 0
    guard fclose(file) == 0, isWritten else { return false }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for stream: Int32 in 1...2 { posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0) }
    var arguments: [UnsafeMutablePointer<CChar>?] = []
    for argument in ["tic", "-x", "-o", directory, path] { arguments.append(strdup(argument)) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    guard posix_spawnp(&child, "tic", &actions, nil, arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return false } }
    return status == 0
  }

  private static func remove(_ directory: String) {
    unlink(directory + "/entry")
    for entry in [name, eightColors, margins] { unlink(directory + "/c/" + entry) }
    rmdir(directory + "/c")
    rmdir(directory)
  }
}
