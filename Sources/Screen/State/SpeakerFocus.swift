import Conference
import RTCCore

/// Who is speaking since when. Servers tell it a few times a second, and people breathe: short pauses do not end a turn.
struct SpeakerTurns: Hashable, Sendable {
  struct Turn: Hashable, Sendable {
    var began: MonotonicTime
    /// Last heard.
    var heard: MonotonicTime
  }

  private(set) var turns: [ParticipantIdentity: Turn] = [:]

  /// Twice the time between two reports of a server about speakers, which is about 400 ms.
  private static let pause: Duration = .milliseconds(800)

  mutating func hear(_ speaking: some Sequence<ParticipantIdentity>, at now: MonotonicTime) {
    for identity in speaking { turns[identity, default: Turn(began: now, heard: now)].heard = now }
    turns = turns.filter { now - $0.value.heard < Self.pause }
  }

  subscript(identity: ParticipantIdentity) -> Turn? { turns[identity] }
}

/// The one speaker who has a place of honour: taken only after some speaking, and held for a while, so that a cough
/// moves nothing and quick answers do not flicker.
struct SpeakerFocus: Hashable, Sendable {
  private(set) var holder: ParticipantIdentity?
  private var since: MonotonicTime = .zero
  private var heard: MonotonicTime = .zero

  /// Speaking for so long earns the place.
  static let onset: Duration = .milliseconds(1_500)
  /// The place is held for at least so long. Two who speak at the same time take turns no faster either.
  static let hold: Duration = .seconds(4)

  /// - Parameters:
  ///   - eligible: who may have the place.
  ///   - isReleased: a holder who is silent for ``hold`` gives the place back; otherwise the last speaker keeps it.
  mutating func follow(
    _ speakers: SpeakerTurns, eligible: Set<ParticipantIdentity>, isReleased: Bool, at now: MonotonicTime
  ) {
    if let current = holder, !eligible.contains(current) { holder = nil }
    var candidates = speakers.turns.filter {
      eligible.contains($0.key) && $0.key != holder && now - $0.value.began >= Self.onset
    }
    if let holder {
      if let turn = speakers[holder] { heard = turn.heard }
      guard now - since >= Self.hold else { return }
      if speakers[holder] != nil {
        // Interrupting takes more than answering.
        candidates = candidates.filter { $0.value.began > since && now - $0.value.began >= Self.hold }
      }
      if candidates.isEmpty {
        if isReleased, now - heard >= Self.hold { self.holder = nil }
        return
      }
    }
    // Who has spoken longest; the name decides between equals, so that all runs are the same.
    let longest = candidates.min { ($0.value.began, $0.key.raw) < ($1.value.began, $1.key.raw) }
    guard let longest else { return }
    holder = longest.key
    since = now
    heard = longest.value.heard
  }
}
