import Foundation
import Synchronization

/// A terminal without a multiplexer: the other end of a pseudo-terminal, which reads, stops reading, answers, changes
/// its size and types as the test wants. It can be a slow link.
final class PseudoTerminal: Sendable {
  private struct State {
    var received: [UInt8] = []
    var isReading = true
    /// Bytes a second; nil for all that comes.
    var rate: Double?
    var arrivals: [Arrival] = []
    var status: Int32?
  }

  /// Bytes that came at once.
  struct Arrival {
    var at: ContinuousClock.Instant
    var bytes: Range<Int>
  }

  let process: pid_t
  /// Seconds of a link's bytes that are read at once.
  private static let linkGrain = 0.005
  private let master: Int32
  private let state = Mutex(State())
  /// Signalled when the terminal reads again.
  private let mayRead = DispatchSemaphore(value: 0)

  /// Runs the program under test on a new terminal, with these variables and few others.
  init(_ arguments: [String], columns: Int, rows: Int, environment: [String: String] = [:]) throws {
    // As posix_openpt, unlockpt and ptsname do it, which are declared for other feature levels only.
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    guard master >= 0, ioctl(master, 0x4004_5431, &isLocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
      throw Timeout(description: "no pseudo-terminal")
    }
    let name = "/dev/pts/\(number)"
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    self.master = master
    Self.setSize(master, columns, rows)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    // The first terminal that the leader of a session opens becomes its own.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    for descriptor: Int32 in 1...2 { posix_spawn_file_actions_adddup2(&actions, 0, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // POSIX_SPAWN_SETSID of glibc.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)
    let inherited = ProcessInfo.processInfo.environment
    var variables = ["PATH": inherited["PATH"] ?? "", "HOME": inherited["HOME"] ?? "/", "LC_ALL": "C.UTF-8"]
    variables["TERM"] = "xterm-256color"
    variables.merge(environment) { $1 }
    var words = ([Repository.program] + arguments).map { strdup($0) } + [nil]
    var settings = variables.filter { !$0.value.isEmpty }.map { strdup("\($0)=\($1)") } + [nil]
    var child: pid_t = 0
    let failure = posix_spawn(&child, Repository.program, &actions, &attributes, &words, &settings)
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    for word in words + settings { free(word) }
    guard failure == 0 else { throw Timeout(description: "the program cannot be started: \(failure)") }
    process = child
    start()
  }

  deinit { kill(process, SIGKILL) }

  private func start() {
    // Both end with the program, and keep the terminal until then.
    let reader = Thread { [self] in
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let rate = state.withLock { $0.rate }
        let length = rate.map { max(1, min(bytes.count, Int($0 * Self.linkGrain))) } ?? bytes.count
        guard state.withLock({ $0.isReading }) else {
          mayRead.wait()
          continue
        }
        let count = read(master, &bytes, length)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        // What a link carries arrives when it has been carried.
        if let rate { Thread.sleep(forTimeInterval: Double(count) / rate) }
        state.withLock { [bytes] in
          let start = $0.received.count
          $0.received += bytes[..<count]
          $0.arrivals.append(Arrival(at: .now, bytes: start..<(start + count)))
        }
      }
    }
    reader.start()
    let waiter = Thread { [self] in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      state.withLock { [status] in $0.status = status }
    }
    waiter.start()
  }

  // MARK: The terminal

  /// Everything that was received so far.
  var received: [UInt8] { state.withLock { $0.received } }
  var text: String { String(decoding: received, as: UTF8.self) }
  var count: Int { state.withLock { $0.received.count } }
  /// Everything that was received so far, and when.
  var arrivals: (bytes: [UInt8], pieces: [Arrival]) { state.withLock { ($0.received, $0.arrivals) } }

  /// From now on the terminal is behind a link of so many bytes a second.
  func setRate(_ bytesPerSecond: Double) { state.withLock { $0.rate = bytesPerSecond } }

  func setReading(_ isReading: Bool) {
    state.withLock { $0.isReading = isReading }
    if isReading { mayRead.signal() }
  }
  func type(_ text: String) { type(Array(text.utf8)) }
  func type(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }
  /// The kernel tells the program by SIGWINCH.
  func resize(columns: Int, rows: Int) { Self.setSize(master, columns, rows) }

  private static func setSize(_ descriptor: Int32, _ columns: Int, _ rows: Int) {
    var window = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &window)
  }

  // MARK: The program

  var isRunning: Bool { state.withLock { $0.status == nil } }

  func exitCode(within limit: Duration = .seconds(20)) async throws -> Int32 {
    try await eventually(within: limit, "the end of the program", seen: { String(self.text.suffix(2_000)) }) {
      self.state.withLock { $0.status }.map { $0 & 0x7F == 0 ? ($0 >> 8) & 0xFF : 128 + ($0 & 0x7F) }
    }
  }

  /// Waits until what was received contains `text`.
  func waits(for text: String, within limit: Duration = .seconds(30)) async throws {
    try await eventually(within: limit, text.debugDescription, seen: { String(self.text.suffix(2_000)) }) {
      self.text.contains(text) ? () : nil
    }
  }

  /// Waits until next to nothing has been received for a second: the picture is still, though clocks may go on.
  func settles(within limit: Duration = .seconds(60)) async throws {
    var before = count
    var quiet = 0
    _ = try await eventually(within: limit, "a still picture") { () -> Void? in
      let now = count
      quiet = now - before < 400 ? quiet + 1 : 0
      before = now
      return quiet > 50 ? () : nil
    }
  }

  /// Resident memory in KiB.
  var memory: Int {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
