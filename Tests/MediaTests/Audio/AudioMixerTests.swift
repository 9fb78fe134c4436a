import RTCCore
import Testing

@testable import Media

/// A participant who sends a loud tone, packet after packet, on virtual time.
private final class Voice {
  let playback: AudioTrackPlayback
  private var source: ToneSource
  private var encoder: OpusEncoder
  private var sequence = SequenceNumber(0)
  private let ssrc: SSRC

  private let feeder: Int

  /// - Parameter track: where it is heard; nil for a track of its own.
  init(frequency: Double, amplitude: Double, track: AudioTrackPlayback? = nil, feeder: Int = 0) throws {
    ssrc = SSRC(UInt32(frequency))
    self.feeder = feeder
    playback = try track ?? AudioTrackPlayback()
    playback.begin(AudioReceiver(AudioReceiver.Configuration(ssrc: ssrc, payloadTypes: [111])), from: feeder)
    source = ToneSource(frequency: frequency, amplitude: amplitude)
    encoder = try OpusEncoder(bitrate: 64_000)
  }

  func send(at now: MonotonicTime) throws {
    guard case .samples(let block) = source.next() else { return }
    let packet = RTPPacket(
      payloadType: 111, sequenceNumber: sequence, timestamp: RTPTimestamp(UInt32(sequence.raw) * 960),
      ssrc: ssrc, payload: try encoder.encode(block))
    sequence = sequence.next
    playback.insert(packet, from: feeder, at: now)
  }
}

private func peak(_ block: [Int16]) -> Int { block.map { abs(Int($0)) }.max() ?? 0 }

/// Plays two seconds of `voices` and gives the last second's blocks.
private func play(_ voices: [Voice], _ mixer: AudioMixer) throws -> [[Int16]] {
  var blocks: [[Int16]] = []
  for slot in 0..<100 {
    let now = MonotonicTime.zero + .milliseconds(20 * slot)
    for index in voices.indices { try voices[index].send(at: now) }
    blocks.append(mixer.mix(at: now + .milliseconds(10)))
  }
  return Array(blocks.suffix(50))
}

@Suite struct AudioMixerTests {
  @Test func oneVoiceIsPlayedAsLoudAsItWasSent() throws {
    let mixer = AudioMixer()
    let voices = [try Voice(frequency: 440, amplitude: 0.5)]
    mixer.add(voices[0].playback)
    let level = peak(try play(voices, mixer).flatMap { $0 })
    #expect((13_000...20_000).contains(level), "\(level)")
  }

  @Test func manyLoudVoicesTogetherAreTurnedDownInsteadOfClipped() throws {
    let mixer = AudioMixer()
    let voices = try [300.0, 440, 587, 710, 830, 990].map { try Voice(frequency: $0, amplitude: 0.9) }
    for voice in voices { mixer.add(voice.playback) }
    let blocks = try play(voices, mixer)
    let samples = blocks.flatMap { $0 }
    #expect((28_000...32_100).contains(peak(samples)), "\(peak(samples))")
    // Clipped sound sits at its limit; a sum that was turned down touches it only now and then.
    let atTheLimit = samples.count { abs(Int($0)) >= 31_990 }
    #expect(Double(atTheLimit) / Double(samples.count) < 0.01)
  }

  @Test func volumeAndMuteActOnOneOrOnAll() throws {
    let mixer = AudioMixer()
    let voices = [try Voice(frequency: 440, amplitude: 0.5)]
    mixer.add(voices[0].playback)
    voices[0].playback.setVolume(50)
    let half = peak(try play(voices, mixer).flatMap { $0 })
    #expect((6_000...10_500).contains(half), "\(half)")
    voices[0].playback.setMuted(true)
    #expect(peak(try play(voices, mixer).flatMap { $0 }) == 0)
    voices[0].playback.setMuted(false)
    mixer.setMuted(true)
    #expect(peak(try play(voices, mixer).flatMap { $0 }) == 0)
  }

  /// Another connection takes the track over: the same source number, other numbers of packets.
  @Test func aTrackIsHeardOnWhileAnotherConnectionTakesOver() throws {
    let mixer = AudioMixer()
    let first = try Voice(frequency: 440, amplitude: 0.5)
    mixer.add(first.playback)
    first.playback.setVolume(50)
    var blocks: [[Int16]] = []
    var second: Voice?
    for slot in 0..<150 {
      let now = MonotonicTime.zero + .milliseconds(20 * slot)
      if slot == 50 { second = try Voice(frequency: 440, amplitude: 0.5, track: first.playback, feeder: 1) }
      // Both send for a while, then only the new one.
      if slot < 100 { try first.send(at: now) }
      if slot >= 60 { try second?.send(at: now) }
      blocks.append(mixer.mix(at: now + .milliseconds(10)))
    }
    let levels = blocks.dropFirst(20).map(peak)
    #expect(levels.allSatisfy { (5_000...11_000).contains($0) }, "\(levels)")
    // What the old connection still sends then is of no use.
    #expect(first.playback.statistics.drops[.superseded] > 30)
  }

  @Test func theMixerPlaysSilenceWithoutAnybody() {
    let block = AudioMixer().mix(at: .zero)
    #expect(block.count == 960 * 2)
    #expect(peak(block) == 0)
  }

  @Test func paceWaitsOnlyWhenAhead() {
    var pace = Pace(start: .zero)
    #expect(pace.advance(at: .zero, tolerance: .zero) == .milliseconds(20))
    #expect(pace.advance(at: .zero + .milliseconds(39), tolerance: .zero) == .milliseconds(1))
    #expect(pace.advance(at: .zero + .milliseconds(90), tolerance: .zero) == .zero)
    #expect(pace.advance(at: .zero + .seconds(9), tolerance: .zero) == .zero)
    // Nine lost seconds are not made up for.
    #expect(pace.advance(at: .zero + .seconds(9), tolerance: .zero) == .milliseconds(20))
  }
}
