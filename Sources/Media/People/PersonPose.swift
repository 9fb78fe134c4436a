import Glibc

/// How somebody holds themselves at one moment: a pure function of the time, their seed and what they do.
struct PersonPose: Equatable {
  /// Shift of the head in picture heights.
  var head = Point.zero
  /// Tilt of the head in radians, clockwise.
  var tilt: Float = 0
  /// Where the face points, -1…1 to the right and down.
  var facing = Point.zero
  /// Where the eyes look within their sockets, -1…1.
  var gaze = Point.zero
  /// 0 closed … 1 open.
  var eyes: Float = 1
  /// -1 frowning … 1 raised.
  var brows: Float = 0
  /// 0.3…1.
  var smile: Float = 0.6
  /// 0 out of sight … 1 raised.
  var hand: Float = 0
  /// Turn of the raised hand in radians.
  var wave: Float = 0
  var isLeftHand = false
  /// 0 breathed out … 1 breathed in.
  var breath: Float = 0

  /// - Parameters:
  ///   - time: seconds, from 0 up.
  ///   - mouthOpen: 0…1; who speaks moves more.
  init(seed: UInt64, time: Double, mouthOpen: Float, isHandRaised: Bool = false) {
    let phase = Double(Self.share(seed, 0)) * 20
    let t = time + phase
    let talk = mouthOpen
    breath = Float(0.5 + 0.5 * sin(t * 1.4))
    facing = Point(
      Self.drift(seed &+ 11, t, every: 2.9) * 0.8 + Float(sin(t * 0.37)) * 0.25,
      Self.drift(seed &+ 12, t, every: 3.7) * 0.5 + talk * 0.25)
    head = Point(facing.x * 0.018 + Float(sin(t * 0.9)) * 0.006, Float(sin(t * 0.7)) * 0.004 + talk * 0.008)
    tilt = Self.drift(seed &+ 13, t, every: 4.3) * 0.07 + Float(sin(t * 0.5)) * 0.02 + talk * 0.02
    gaze = Point(Self.glance(seed &+ 14, t, every: 1.7), Self.glance(seed &+ 15, t, every: 2.3) * 0.5)
    brows = Self.drift(seed &+ 16, t, every: 2.1) * 0.5 + talk * 0.35
    smile = 0.65 + Self.drift(seed &+ 17, t, every: 5.1) * 0.35
    eyes = 1 - Self.blink(seed &+ 18, t)

    // Every 23 seconds or so about every second one gets an idea.
    let slot = (t / 23).rounded(.down)
    let within = t - slot * 23
    let hasIdea = Self.share(seed &+ 19, Int(slot)) < 0.5 && within < 3.6
    isLeftHand = Self.share(seed &+ 20, 0) < 0.5
    if isHandRaised {
      hand = 1
    } else if hasIdea {
      hand = Float(Self.ease(within / 0.5) * Self.ease((3.6 - within) / 0.6))
    }
    wave = hand * Float(sin(t * 7)) * 0.16
  }

  /// 0…1, the same for the same seed and index.
  static func share(_ seed: UInt64, _ index: Int) -> Float {
    var bits = seed &+ UInt64(bitPattern: Int64(index)) &* 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return Float((bits ^ (bits >> 31)) >> 40) / Float(1 << 24)
  }

  private static func ease(_ value: Double) -> Double {
    let t = max(0, min(value, 1))
    return t * t * (3 - 2 * t)
  }

  /// Wanders smoothly between -1 and 1.
  private static func drift(_ seed: UInt64, _ t: Double, every period: Double) -> Float {
    let position = t / period
    let slot = position.rounded(.down)
    let from = share(seed, Int(slot)) * 2 - 1
    let to = share(seed, Int(slot) + 1) * 2 - 1
    return from + (to - from) * Float(ease(position - slot))
  }

  /// Stays, then jumps within a tenth of a second, as eyes do.
  private static func glance(_ seed: UInt64, _ t: Double, every period: Double) -> Float {
    let position = t / period
    let slot = position.rounded(.down)
    // Half of the time they look straight at us.
    func target(_ index: Int) -> Float {
      let value = share(seed, index) * 2 - 1
      return abs(value) < 0.5 ? 0 : value
    }
    let from = target(Int(slot))
    let to = target(Int(slot) + 1)
    return from + (to - from) * Float(ease(((position - slot) * period - (period - 0.12)) / 0.12))
  }

  /// 0 open … 1 closed; a blink of 0.18 s every 3 s or so, now and then two.
  private static func blink(_ seed: UInt64, _ t: Double) -> Float {
    let position = t / 3
    let slot = Int(position.rounded(.down))
    let begins = Double(share(seed, slot)) * 2.2
    let within = t - Double(slot) * 3 - begins
    func lid(_ since: Double) -> Float { since < 0 || since > 0.18 ? 0 : Float(sin(since / 0.18 * .pi)) }
    let second = share(seed &+ 1, slot) < 0.25 ? lid(within - 0.3) : 0
    return max(lid(within), second)
  }
}
