import Foundation
import RTCCore
import Testing

@testable import Media

@Suite struct RasteriserTests {
  private func drawn(_ outline: Outline, opacity: Float = 1) -> I420Buffer {
    let picture = MutableI420(width: 40, height: 30)
    for y in 0..<30 {
      for x in 0..<40 { picture.set(.y, x: x, y: y, to: 0) }
    }
    var paint = Paint(Tone(0xff_ff_ff))
    paint.opacity = opacity
    Rasteriser(width: 40, height: 30).fill(outline, paint, into: picture)
    return picture.finish()
  }

  private func lumaSum(_ picture: I420Buffer) -> Double {
    var sum = 0.0
    for y in 0..<picture.height {
      for x in 0..<picture.width { sum += Double(picture[.y, x, y]) }
    }
    return sum / 235
  }

  @Test func aBoxCoversItsPixelsAndTheRestHalf() {
    let picture = drawn(.box(Point(4, 5), Point(30.5, 20)))
    #expect(picture[.y, 4, 5] >= 234 && picture[.y, 29, 19] >= 234)
    #expect(abs(Int(picture[.y, 30, 10]) - 117) < 3)
    #expect(picture[.y, 3, 10] == 0 && picture[.y, 31, 10] == 0 && picture[.y, 10, 20] == 0)
  }

  @Test(arguments: [Float(0.5), 3, 7.3, 12.9]) func anEllipseHasItsArea(radius: Float) {
    let area = lumaSum(drawn(.ellipse(Point(20.2, 14.7), Point(radius, radius))))
    let expected = Double(radius * radius) * Double.pi
    #expect(abs(area - expected) < expected * 0.03 + 0.3)
  }

  @Test func aRingHasAHole() {
    let picture = drawn(.ring(Point(20, 15), Point(12, 12), width: 3))
    #expect(picture[.y, 20, 15] == 0 && picture[.y, 30, 15] >= 230)
  }

  @Test func opacityMixes() {
    let picture = drawn(.box(Point(0, 0), Point(40, 30)), opacity: 0.5)
    #expect((115...120).contains(picture[.y, 20, 15]))
    #expect((115...120).contains(picture[.y, 39, 29]))
  }

  @Test func whatLiesOutsideIsCutOff() {
    #expect(lumaSum(drawn(.box(Point(-500, -500), Point(500, 500)))) > 1190)
    #expect(lumaSum(drawn(.box(Point(50, 40), Point(60, 50)))) == 0)
    #expect(lumaSum(drawn(.ellipse(Point(0, 0), Point(10, 10)))) > 70)
    #expect(lumaSum(drawn(.polygon([Point(.nan, 0), Point(5, .infinity), Point(3, 3)]))) == 0)
  }

  /// The buffer of differences must be clean after each fill, or later shapes smear.
  @Test func shapesDoNotLeaveTraces() {
    let rasteriser = Rasteriser(width: 37, height: 29)
    let picture = MutableI420(width: 37, height: 29)
    for index in 0..<200 {
      let centre = Point(PersonPose.share(1, index) * 50 - 5, PersonPose.share(2, index) * 40 - 5)
      rasteriser.fill(.ellipse(centre, Point(13, 9), angle: Float(index)), Paint(Tone(0)), into: picture)
    }
    rasteriser.fill(.box(Point(-1, -1), Point(38, 30)), Paint(Tone(0)), into: picture)
    rasteriser.fill(.box(Point(10, 10), Point(12, 12)), Paint(Tone(0xff_ff_ff)), into: picture)
    let finished = picture.finish()
    for y in 0..<29 {
      for x in 0..<37 {
        let isInside = (10..<12).contains(x) && (10..<12).contains(y)
        #expect((finished[.y, x, y] > 200) == isInside)
      }
    }
  }
}

@Suite struct PersonTests {
  @Test func theCastIsLargeAndToldApart() {
    #expect(Person.cast.count >= 12)
    #expect(Set(Person.cast.map(\.name)).count == Person.cast.count)
    #expect(Set(Person.cast.map(\.appearance.seed)).count == Person.cast.count)
    #expect(Person.cast.prefix(4).map(\.identity) == ["ada", "bjorn", "chidi", "dalia"])
    #expect(Set(Person.cast.prefix(12).map(\.appearance.garmentColour)).count == 12)
  }

  /// Pixels that differ by more than 24 of 255 in luma, as a share of all.
  private func difference(_ left: I420Buffer, _ right: I420Buffer) -> Double {
    var count = 0
    for y in 0..<left.height {
      for x in 0..<left.width where abs(Int(left[.y, x, y]) - Int(right[.y, x, y])) > 24 { count += 1 }
    }
    return Double(count) / Double(left.width * left.height)
  }

  @Test(arguments: Person.cast.indices) func everybodyIsDrawnMovesAndBlinks(index: Int) {
    let painter = PersonPainter(Person.cast[index].appearance, width: 320, height: 180)
    let pictures = (0..<60).map { painter.draw(time: .milliseconds($0 * 100), mouthOpen: 0) }
    #expect(pictures.dropFirst().contains { difference($0, pictures[0]) > 0.005 })
    let again = PersonPainter(Person.cast[index].appearance, width: 320, height: 180)
      .draw(time: .milliseconds(1500), mouthOpen: 0)
    #expect(lumaPSNR(again, pictures[15]) == 100)
    let poses = (0..<600).map {
      PersonPose(seed: Person.cast[index].appearance.seed, time: Double($0) * 0.02, mouthOpen: 0)
    }
    #expect(poses.contains { $0.eyes < 0.3 } && poses.count { $0.eyes > 0.9 } > 450)
  }

  @Test func theMouthFollowsTheVoiceEvenInTerminalSize() {
    let painter = PersonPainter(Person.cast[0].appearance, width: 640, height: 360)
    let scaler = PictureScaler()
    let closed = scaler.picture(
      of: painter.draw(time: .seconds(5), mouthOpen: 0), width: 40, height: 40, mode: .fill)
    let open = scaler.picture(
      of: painter.draw(time: .seconds(5), mouthOpen: 1), width: 40, height: 40, mode: .fill)
    let changed = zip(closed.pixels, open.pixels).count { abs(Int($0 >> 8 & 0xff) - Int($1 >> 8 & 0xff)) > 40 }
    #expect(changed >= 4)
  }

  @Test func aHandIsRaised() {
    let painter = PersonPainter(Person.cast[1].appearance, width: 320, height: 180)
    let still = painter.draw(time: .seconds(1), mouthOpen: 0)
    let raised = painter.draw(time: .seconds(1), mouthOpen: 0, isHandRaised: true)
    #expect(difference(still, raised) > 0.01)
    for appearance in Person.cast.map(\.appearance) {
      let hands = (0..<2400).map { PersonPose(seed: appearance.seed, time: Double($0) * 0.1, mouthOpen: 0).hand }
      #expect(hands.contains { $0 > 0.9 } && hands.contains(0))
    }
  }

  @Test(arguments: [(160, 90), (641, 359), (33, 700)]) func anySizeCanBeDrawn(width: Int, height: Int) {
    let picture = PersonPainter(Person.cast[6].appearance, width: width, height: height)
      .draw(time: .seconds(3), mouthOpen: 0.5, isHandRaised: true)
    #expect(picture.width == width && picture.height == height)
  }

  @Test func theStampSurvivesTheWholeWay() throws {
    let clock = VirtualClock()
    clock.advance(by: .milliseconds(77_000))
    let person = SyntheticPerson(Person.cast[2])
    let camera = person.camera(
      format: VideoFormat(width: 640, height: 360, frameInterval: .milliseconds(66)), clock: { clock.now })
    let encoder = try SimulcastEncoder(
      layers: SimulcastEncoder.Layer.small, framesPerSecond: 15, clock: { clock.now })
    let decoders = try (0..<3).map { _ in try VP8Decoder() }
    for index in 0..<15 {
      let frame = try #require(camera.nextFrame())
      #expect(frame.offset == .milliseconds(66 * index))
      guard case .picture(let picture) = frame.content else { throw MediaError(.codecFailed, "not a picture") }
      for output in try encoder.encode(picture, timestamp: RTPTimestamp(UInt32(index * 5940)), capturedAt: .zero) {
        let decoded = try #require(try decoders[output.layer].decode(output.frame))
        #expect(FrameStamp.read(from: decoded) == FrameStamp(frame: index, milliseconds: 77_000 + 66 * index))
      }
      clock.advance(by: .milliseconds(66))
    }
  }

  @Test func aCameraLeavesOutWhatNobodyFetched() throws {
    let clock = VirtualClock()
    let camera = SyntheticPerson(Person.cast[0]).camera(
      format: VideoFormat(width: 160, height: 90, frameInterval: .milliseconds(50)), clock: { clock.now })
    #expect(camera.nextFrame()?.offset == .zero)
    clock.advance(by: .milliseconds(230))
    #expect(camera.nextFrame()?.offset == .milliseconds(200))
    clock.advance(by: .milliseconds(20))
    #expect(camera.nextFrame()?.offset == .milliseconds(250))
  }
}

@Suite struct VoiceTests {
  /// Strength of one frequency in the samples (Goertzel), relative to their total.
  private func share(of frequency: Double, in samples: [Int16]) -> Double {
    var real = 0.0
    var imaginary = 0.0
    var energy = 0.0
    for (index, sample) in samples.enumerated() {
      let angle = 2 * Double.pi * frequency * Double(index) / 48_000
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
      energy += Double(sample) * Double(sample)
    }
    return energy == 0 ? 0 : (real * real + imaginary * imaginary) / energy / Double(samples.count)
  }

  @Test func itIsSilentUntilSomebodySpeaks() {
    var voice = Voice(VoiceCharacter(pitch: 110, tract: 1), seed: 1)
    let quiet = voice.next(isSpeaking: false)
    #expect(quiet.samples == [Int16](repeating: 0, count: 960) && quiet.mouthOpen == 0)
    let loud = (0..<100).map { _ in voice.next(isSpeaking: true) }
    #expect(loud.contains { $0.samples.contains { abs(Int($0)) > 2000 } })
    #expect(loud.contains { $0.mouthOpen > 0.4 } && loud.contains { $0.mouthOpen < 0.2 })
    #expect(loud.allSatisfy { $0.samples.count == 960 && (0...1).contains($0.mouthOpen) })
    _ = voice.next(isSpeaking: false)
    #expect(voice.next(isSpeaking: false) == quiet)
  }

  @Test func theSameSeedSaysTheSame() {
    var voices = [UInt64(5), 5, 6].map { Voice(VoiceCharacter(pitch: 180, tract: 1.1), seed: $0) }
    let said = voices.indices.map { index in (0..<50).flatMap { _ in voices[index].next(isSpeaking: true).samples } }
    #expect(said[0] == said[1] && said[0] != said[2])
  }

  @Test func theMouthMovesWithTheLoudness() {
    var voice = Voice(VoiceCharacter(pitch: 140, tract: 1), seed: 9)
    let slices = (0..<400).map { _ in voice.next(isSpeaking: true) }
    func loudness(_ slices: [Voice.Slice]) -> Double {
      let sum = slices.reduce(0.0) { $0 + $1.samples.reduce(0.0) { $0 + Double(abs(Int($1))) } }
      return sum / Double(max(1, slices.count))
    }
    let open = slices.filter { $0.mouthOpen > 0.5 }
    let closed = slices.filter { $0.mouthOpen < 0.15 }
    #expect(!open.isEmpty && !closed.isEmpty && loudness(open) > 2 * loudness(closed))
  }

  @Test func aHighVoiceIsHigherThanALowOne() {
    func power(pitch: Double, below limit: Double) -> Double {
      var voice = Voice(VoiceCharacter(pitch: pitch, tract: 1), seed: 3)
      let samples = (0..<60).flatMap { _ in voice.next(isSpeaking: true).samples }
      return stride(from: 70.0, to: limit, by: 5).reduce(0) { $0 + share(of: $1, in: samples) }
    }
    #expect(power(pitch: 95, below: 130) > 5 * power(pitch: 220, below: 130))
  }
}

@Suite struct ConversationTests {
  @Test(arguments: [6, 9, 12], UInt64(1)...6) func theRulesHoldForAnHour(count: Int, seed: UInt64) {
    var conversation = Conversation(people: count, seed: seed)
    var seen: Set<Conversation.Change> = []
    var spoken: Set<Int> = []
    var silence = 0
    for tick in 1...(3600 * 10) {
      let time = Duration.milliseconds(tick * 100)
      for event in conversation.advance(to: time) {
        #expect(event.time <= time && event.time > time - .milliseconds(100))
        seen.insert(event.change)
        if event.change == .speaks { spoken.insert(event.person) }
        if event.time < .seconds(20) { #expect([.speaks, .fallsSilent].contains(event.change)) }
      }
      let people = conversation.people
      #expect(people.count { !$0.isPresent } <= 1)
      #expect(people.count { $0.isPresent && $0.hasVideo } >= conversation.leastVideos)
      #expect(people.allSatisfy { !$0.isSpeaking || ($0.isPresent && !$0.isMuted) })
      #expect(people.count { $0.isSpeaking } <= 3)
      if people.allSatisfy({ !$0.isSpeaking }) { silence += 1 }
    }
    #expect(seen == Set([.speaks, .fallsSilent, .mutes, .unmutes, .stopsVideo, .startsVideo, .leaves, .returns]))
    #expect(spoken.count == count)
    #expect(silence < 3600 * 10 / 3)
  }

  @Test func fourOfSixAreAlwaysSeen() { #expect(Conversation(people: 6, seed: 1).leastVideos == 4) }

  @Test func theSameSeedGivesTheSameDramaHoweverItIsAsked() {
    var coarse = Conversation(people: 8, seed: 77)
    var fine = Conversation(people: 8, seed: 77)
    var other = Conversation(people: 8, seed: 78)
    let events = coarse.advance(to: .seconds(300))
    #expect(events == (1...15_000).flatMap { fine.advance(to: .milliseconds($0 * 20)) })
    #expect(events != other.advance(to: .seconds(300)))
    #expect(events.count > 60)
  }

  @Test func oneAloneTalksAndStays() {
    var conversation = Conversation(people: 1, seed: 4)
    let events = conversation.advance(to: .seconds(120))
    #expect(events.contains { $0.change == .speaks } && !events.contains { $0.change == .leaves })
  }
}
