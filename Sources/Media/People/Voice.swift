import Glibc

/// What sets one voice apart.
public struct VoiceCharacter: Hashable, Sendable {
  /// Usual pitch in hertz, about 80…260.
  public var pitch: Double
  /// Formant frequencies in those of an average grown-up: above 1 for a shorter vocal tract.
  public var tract: Double

  public init(pitch: Double, tract: Double) {
    self.pitch = pitch
    self.tract = tract
  }
}

/// Makes soft babble: pulses of a voice's pitch through three formants that glide from vowel to vowel, in syllables
/// and phrases. The same character and seed give the same samples. One owner.
public struct Voice: Sendable {
  /// One piece of sound and what the mouth did meanwhile.
  public struct Slice: Equatable, Sendable {
    /// 960 samples: 20 ms at 48 kHz, mono.
    public var samples: [Int16]
    /// 0 closed … 1 wide open.
    public var mouthOpen: Double
  }

  public static let sampleRate = 48_000
  public static let sliceSamples = 960

  private struct Syllable {
    var vowel = Vowel.all[0]
    var length = 0.2
    var elapsed = 0.0
    var pitch = 1.0
    var loudness = 1.0
    var isPause = true
  }

  /// First three formants in hertz, and how far the mouth opens.
  private struct Vowel {
    var formants: SIMD4<Double>
    var opening: Double

    static let all = [
      Vowel(formants: SIMD4(730, 1150, 2500, 0), opening: 1.0),  // a
      Vowel(formants: SIMD4(530, 1800, 2500, 0), opening: 0.7),  // e
      Vowel(formants: SIMD4(320, 2200, 2950, 0), opening: 0.4),  // i
      Vowel(formants: SIMD4(500, 900, 2450, 0), opening: 0.75),  // o
      Vowel(formants: SIMD4(340, 800, 2300, 0), opening: 0.35),  // u
      Vowel(formants: SIMD4(500, 1450, 2450, 0), opening: 0.6),  // the one in "the"
    ]
  }

  /// A two-pole filter that lets one frequency ring.
  private struct Resonator {
    private var a = 0.0
    private var b = 0.0
    private var c = 0.0
    private var last = 0.0
    private var beforeLast = 0.0

    mutating func tune(to frequency: Double, bandwidth: Double) {
      let radius = exp(-.pi * bandwidth / Double(Voice.sampleRate))
      c = -radius * radius
      b = 2 * radius * cos(2 * .pi * frequency / Double(Voice.sampleRate))
      a = 1 - b - c
    }
    mutating func callAsFunction(_ input: Double) -> Double {
      let output = a * input + b * last + c * beforeLast
      beforeLast = last
      last = output
      return output
    }
  }

  private let character: VoiceCharacter
  private var random: UInt64
  private var syllable = Syllable(length: 0)
  private var leftInPhrase = 6
  private var formants = Vowel.all[5].formants
  private var phase = 0.0
  private var pitch: Double
  private var level = 0.0
  private var mouth = 0.0
  private var resonators = (Resonator(), Resonator(), Resonator())
  private var lastSound = 0.0
  private var softened = 0.0

  public init(_ character: VoiceCharacter, seed: UInt64) {
    self.character = character
    random = seed | 1
    pitch = character.pitch
  }

  /// The next 20 ms. When not speaking the voice fades out within one slice and then is exactly silent.
  public mutating func next(isSpeaking: Bool) -> Slice {
    guard isSpeaking || level > 0.001 else {
      level = 0
      mouth = 0
      syllable = Syllable(length: 0)
      leftInPhrase = 6
      return Slice(samples: [Int16](repeating: 0, count: Self.sliceSamples), mouthOpen: 0)
    }
    if syllable.elapsed >= syllable.length { nextSyllable() }
    syllable.elapsed += 0.02

    let within = min(1, syllable.elapsed / syllable.length)
    let shape = sin(.pi * min(1, within * 0.85 + 0.12))
    let wanted = isSpeaking && !syllable.isPause ? shape * syllable.loudness : 0
    let vowel = syllable.vowel
    formants += (vowel.formants * character.tract - formants) * 0.35
    let wantedPitch = character.pitch * syllable.pitch
    resonators.0.tune(to: formants.x, bandwidth: 80)
    resonators.1.tune(to: formants.y, bandwidth: 110)
    resonators.2.tune(to: formants.z, bandwidth: 170)

    let from = level
    let step = (wanted - from) / Double(Self.sliceSamples)
    var samples: [Int16] = []
    samples.reserveCapacity(Self.sliceSamples)
    for _ in 0..<Self.sliceSamples {
      level += step
      pitch += (wantedPitch - pitch) * 0.0004
      phase += pitch / Double(Self.sampleRate)
      if phase >= 1 { phase -= 1 }
      // The glottis opens slowly and shuts fast (Rosenberg), with a little breath.
      let pulse = phase < 0.6 ? phase * phase * (1.8 - 3 * phase) * 4.6 : 0
      let breath = (nextUnit() - 0.5) * 0.04
      let source = pulse + breath
      let sound = resonators.0(source) + 0.8 * resonators.1(source) + 0.4 * resonators.2(source)
      // Lips radiate what changes; then the edge is taken off.
      let radiated = sound - 0.94 * lastSound
      lastSound = sound
      softened += (radiated - softened) * 0.5
      let value = tanh(softened * level * 12) * 10_000
      samples.append(Int16(max(-32_000, min(value, 32_000))))
    }
    let opening = wanted * (0.35 + 0.65 * vowel.opening)
    mouth += (opening - mouth) * 0.6
    return Slice(samples: samples, mouthOpen: max(0, min(mouth, 1)))
  }

  private mutating func nextSyllable() {
    syllable = Syllable()
    guard leftInPhrase > 0 else {
      // A breath between phrases, then the voice starts high and sinks.
      leftInPhrase = 4 + Int(nextUnit() * 9)
      syllable.length = 0.12 + nextUnit() * 0.3
      return
    }
    leftInPhrase -= 1
    syllable.isPause = false
    syllable.vowel = Vowel.all[min(Vowel.all.count - 1, Int(nextUnit() * Double(Vowel.all.count)))]
    syllable.length = 0.11 + nextUnit() * 0.13 + (leftInPhrase == 0 ? 0.1 : 0)
    syllable.loudness = 0.65 + nextUnit() * 0.35
    syllable.pitch = 0.9 + 0.02 * Double(min(leftInPhrase, 8)) + nextUnit() * 0.12
  }

  /// 0…1 (SplitMix64).
  private mutating func nextUnit() -> Double {
    random &+= 0x9e37_79b9_7f4a_7c15
    var bits = random
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
  }
}
