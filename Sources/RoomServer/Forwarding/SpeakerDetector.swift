import Foundation
import RTCCore

/// Loudness of one microphone from the audio-level header extension (RFC 6464), judged over windows of 400 ms.
struct AudioLevelWindow: Sendable {
  /// −dBov of the quietest frame that counts as speech.
  static let threshold: UInt8 = 35
  /// Share of the window that must be speech.
  static let minimumShare = 0.4
  static let length: Duration = .milliseconds(400)
  /// Level from which a participant counts as speaking: the threshold as a linear factor.
  static let activeLevel = pow(10, -Double(threshold) / 20)

  private var observed: Duration = .zero
  private var active: Duration = .zero
  private var loudest: UInt8 = 127
  private var smoothed = 0.0
  private var lastPacket: MonotonicTime?

  init() {}

  /// One frame: its level in −dBov, 0 loudest … 127 silent, and how long it lasts.
  mutating func observe(level: UInt8, duration: Duration, at now: MonotonicTime) {
    lastPacket = now
    observed += duration
    if level <= Self.threshold {
      active += duration
      loudest = min(loudest, level)
    }
    guard observed >= Self.length else { return }
    var linear = 0.0
    let share = active.inSeconds / Self.length.inSeconds
    if share >= Self.minimumShare {
      linear = min(1, pow(10, -(Double(loudest) - 20 * log10(share)) / 20))
    }
    smoothed += (linear - smoothed) * 2 / 3
    observed = .zero
    active = .zero
    loudest = 127
  }

  /// The smoothed level, 0 … 1; 0 after 800 ms without packets.
  mutating func level(at now: MonotonicTime) -> Double {
    if let lastPacket, now - lastPacket > Self.length * 2 { self = AudioLevelWindow() }
    return smoothed >= Self.activeLevel ? smoothed : 0
  }
}

/// Turns levels into the changes that subscribers are told.
struct SpeakerDetector: Sendable {
  /// Time between two rounds of notices.
  static let interval: Duration = .milliseconds(400)

  struct Change: Equatable, Sendable {
    /// Participant sid.
    var speaker: String
    /// 0 … 1 in steps of 1/8, rounded up.
    var level: Double
    var isActive: Bool
  }

  /// The speakers of the last round and their levels.
  private(set) var active: [String: Double] = [:]

  init() {}

  /// What changed since the last round, given everybody's level now; the silent may be left out.
  mutating func update(_ levels: [String: Double]) -> [Change] {
    var current: [String: Double] = [:]
    for (speaker, level) in levels where level > 0 { current[speaker] = min(1, (level * 8).rounded(.up) / 8) }
    var changes: [Change] = []
    for (speaker, level) in current where active[speaker] != level {
      changes.append(Change(speaker: speaker, level: level, isActive: true))
    }
    for speaker in active.keys where current[speaker] == nil {
      changes.append(Change(speaker: speaker, level: 0, isActive: false))
    }
    active = current
    return changes.sorted { $0.level != $1.level ? $0.level > $1.level : $0.speaker < $1.speaker }
  }

  /// Forgets somebody who left, without a notice.
  mutating func remove(_ speaker: String) { active[speaker] = nil }
}
