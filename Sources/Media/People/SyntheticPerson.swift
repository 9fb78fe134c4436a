/// A person's face and voice together: the mouth moves to what is heard. One owner, one thread at a time.
public final class SyntheticPerson {
  public let person: Person
  private let painter: PersonPainter
  private var voice: Voice
  private var mouthOpen = 0.0

  public init(_ person: Person, width: Int = 640, height: Int = 360) {
    self.person = person
    painter = PersonPainter(person.appearance, width: width, height: height)
    voice = Voice(person.appearance.voice, seed: person.appearance.seed)
  }

  /// The next 20 ms of voice: 960 samples, 48 kHz mono; exact silence when not speaking.
  public func nextSamples(isSpeaking: Bool) -> [Int16] {
    let slice = voice.next(isSpeaking: isSpeaking)
    mouthOpen = slice.mouthOpen
    return slice.samples
  }

  /// The picture at a moment since the person began, with the mouth as of the last samples.
  public func picture(at time: Duration, stamp: FrameStamp? = nil) -> I420Buffer {
    painter.draw(time: time, mouthOpen: mouthOpen, stamp: stamp)
  }
}
