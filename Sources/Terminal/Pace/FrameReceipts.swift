internal import RTCCore

/// Status reports (`CSI 5 n`) that end frames; the terminal's answer (`CSI 0 n`) is the receipt of everything before.
///
/// What ssh, TCP and the terminal hold back is not to be seen in any other way: a write to a pseudo-terminal succeeds long
/// before anything is on a screen. Answers carry no number, so they are matched in order.
struct FrameReceipts {
  /// What one answer tells.
  struct Receipt: Equatable {
    /// When the first byte since the request before was sent.
    var begunAt: MonotonicTime
    /// Bytes since the request before, this one among them.
    var bytes: Int
    /// When the frame that ends with the request began, and its bytes.
    var frameBegunAt: MonotonicTime
    var frameBytes: Int
    var answeredAt: MonotonicTime
    /// Nothing but the request was sent, with nothing before it on the way: its time is the path's own.
    var isBare = false
  }

  static let request = Array("\u{1B}[5n".utf8)
  /// Unanswered requests at most. More would tell nothing sooner.
  static let limit = 2
  /// Reports without any answer after which the terminal is not asked again.
  static let refusals = 2
  /// The path's own delay is measured again after this time: it may have become longer.
  static let freshness = Duration.seconds(30)
  /// An answer that takes this long, besides the time for the bytes on an unknown link, belongs to a connection that has
  /// stopped, or to a terminal that gives none.
  private static let patience = Duration.seconds(3)
  private static let slowestLink = 4_000.0
  /// So long the first answer may hold up the picture.
  private static let firstPatience = Duration.milliseconds(500)

  private(set) var isOn: Bool
  /// Shortest time from a request to its answer: the path's own delay, without any queue. nil before the first.
  private(set) var roundTrip: Duration?
  private var measuredAt: MonotonicTime?
  private var unanswered: [Receipt] = []
  private var askedAt: MonotonicTime?
  /// Answers that may still come to requests that were given up.
  private var late = 0
  private var silences = 0
  /// The terminal has answered at least once: its silence means something.
  private(set) var hasAnswered = false
  /// Bytes that no request covers may be under way.
  private var isBlind = false
  private var firstAskedAt: MonotonicTime?
  /// Bytes sent since the last request, and when the first of them was.
  private var open: (begunAt: MonotonicTime, bytes: Int)?

  init(isOn: Bool) { self.isOn = isOn }

  var count: Int { unanswered.count }
  /// Bytes sent that no receipt covers yet.
  var bytesUnderway: Int { unanswered.reduce(open?.bytes ?? 0) { $0 + $1.bytes } }
  /// When the frame of the oldest request without an answer began.
  var oldest: MonotonicTime? { unanswered.first?.frameBegunAt }
  /// Everything that was sent has its receipt.
  var isClear: Bool { unanswered.isEmpty && open == nil && !isBlind }
  /// It is not certain yet whether the terminal answers at all, and worth waiting for.
  func awaitsFirst(at now: MonotonicTime) -> Bool {
    guard isOn, !hasAnswered, !unanswered.isEmpty, let firstAskedAt else { return false }
    return now - firstAskedAt < Self.firstPatience
  }
  /// When the oldest request is given up.
  var deadline: MonotonicTime? {
    unanswered.first.map { $0.begunAt + Self.patience + .seconds(Double($0.bytes) / Self.slowestLink) }
  }

  /// The path's delay is not known, or was measured long ago: frames are to wait until everything has its receipt, and the
  /// next is to begin with a request of its own.
  func needsMeasurement(at now: MonotonicTime) -> Bool {
    guard isOn else { return false }
    guard let measuredAt else { return true }
    return now - measuredAt >= Self.freshness
  }

  /// The frame that begins now is to end with a request: fewer than the limit are out, and on a long path they are spread
  /// over its round trip.
  func wantsRequest(at now: MonotonicTime) -> Bool {
    guard isOn, unanswered.count < Self.limit else { return false }
    guard let askedAt, let roundTrip, !unanswered.isEmpty else { return true }
    return now - askedAt >= roundTrip / Self.limit
  }

  /// A request of its own is sent.
  mutating func sentBareRequest(at now: MonotonicTime) {
    let wasClear = isClear
    sent(Self.request.count, asks: true, at: now)
    if wasClear, !unanswered.isEmpty { unanswered[unanswered.count - 1].isBare = true }
    measuredAt = now
  }

  /// `bytes` are sent from now on; `asks` when they end with a request.
  mutating func sent(_ bytes: Int, asks: Bool, at now: MonotonicTime) {
    guard isOn else { return }
    let covered = (begunAt: open?.begunAt ?? now, bytes: (open?.bytes ?? 0) + bytes)
    open = asks ? nil : covered
    guard asks else { return }
    unanswered.append(
      Receipt(begunAt: covered.begunAt, bytes: covered.bytes, frameBegunAt: now, frameBytes: bytes, answeredAt: now))
    askedAt = now
    firstAskedAt = firstAskedAt ?? now
  }

  /// A status report came in; nil when it is not the answer to anything of ours.
  mutating func answered(at now: MonotonicTime) -> Receipt? {
    guard late == 0 else {
      late -= 1
      return nil
    }
    guard !unanswered.isEmpty else { return nil }
    var receipt = unanswered.removeFirst()
    receipt.answeredAt = now
    silences = 0
    hasAnswered = true
    if unanswered.isEmpty, open == nil { isBlind = false }
    let time = now - receipt.frameBegunAt
    roundTrip = receipt.isBare ? time : min(time, roundTrip ?? time)
    return receipt
  }

  /// Gives up what was not answered in time; true when that happened.
  mutating func expire(at now: MonotonicTime) -> Bool {
    guard let deadline, now >= deadline else { return false }
    silences += 1
    // A second silence says that the answers to the first are not coming any more.
    late = silences > 1 ? 0 : unanswered.count
    unanswered = []
    open = nil
    if !hasAnswered, silences >= Self.refusals { isOn = false }
    return true
  }

  mutating func turnOn() {
    guard !isOn, !isRefused else { return }
    isOn = true
    isBlind = true
  }

  private var isRefused: Bool { silences >= Self.refusals && !hasAnswered }

  /// Whoever had the terminal meanwhile may have read the answers.
  mutating func forget() {
    unanswered = []
    open = nil
    late = 0
    measuredAt = nil
  }
}
