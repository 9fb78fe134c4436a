import Glibc
import Testing

@testable import Media

/// Left channel of interleaved stereo.
private func left(_ samples: [Int16]) -> [Double] {
  stride(from: 0, to: samples.count, by: 2).map { Double(samples[$0]) }
}

private func rms(_ samples: [Double]) -> Double {
  (samples.reduce(0) { $0 + $1 * $1 } / Double(max(1, samples.count))).squareRoot()
}

@Test func aToneSurvivesOpus() throws {
  var source = ToneSource(frequency: 440, amplitude: 0.25)
  var encoder = try OpusEncoder()
  var decoder = try OpusDecoder()
  var heard: [Double] = []
  for _ in 0..<50 {
    guard case .samples(let block) = source.next() else { return }
    heard += left(try decoder.decode(try encoder.encode(block)))
  }
  let steady = Array(heard.dropFirst(9_600))
  let expected = 0.25 * 32_767 / 2.0.squareRoot()
  #expect(abs(rms(steady) - expected) < expected * 0.1)
  let crossings = zip(steady, steady.dropFirst()).count { $0 < 0 && $1 >= 0 }
  let seconds = Double(steady.count) / 48_000
  #expect(abs(Double(crossings) / seconds - 440) < 4)
}

@Test("RFC 6716 §4.4: a lost packet is concealed with sound of the right length")
func concealment() throws {
  var source = ToneSource()
  var encoder = try OpusEncoder()
  var decoder = try OpusDecoder()
  for _ in 0..<10 {
    guard case .samples(let block) = source.next() else { return }
    _ = try decoder.decode(try encoder.encode(block))
  }
  let concealed = try decoder.conceal(samples: 960)
  #expect(concealed.count == 960 * 2)
  #expect(rms(left(concealed)) > 500)
}

@Test func garbageIsRefusedNotDecoded() throws {
  var decoder = try OpusDecoder()
  var refused = 0
  for seed in UInt8.min...UInt8.max {
    let garbage = (0..<60).map { UInt8(truncatingIfNeeded: Int(seed) &* 31 &+ $0 &* 17) }
    do { _ = try decoder.decode(garbage) } catch { refused += 1 }
  }
  #expect(refused > 0)
}

@Test func anEncoderTakesOnlyWholeBlocks() throws {
  var encoder = try OpusEncoder()
  var failure: MediaError?
  do { _ = try encoder.encode([1, 2, 3]) } catch { failure = error }
  #expect(failure?.code == .invalidConfiguration)
}

@Test("RFC 6464 §3: full scale is 0 and silence is 127", arguments: [(Int16.max, UInt8(0)), (3_277, 20), (0, 127)])
func audioLevel(sample: Int16, expected: UInt8) {
  #expect(Loudness.decibels(of: Array(repeating: sample, count: 960)) == expected)
}
