import Glibc
import RTCCore
import Synchronization

/// A person's face and voice together, for a room without cameras: the mouth moves to what is heard.
public final class SyntheticPerson: Sendable {
  private struct State {
    var isSpeaking = false
    var mouthOpen = 0.0
  }

  public let person: Person
  private let state = Mutex(State())

  public init(_ person: Person) {
    self.person = person
  }

  /// Whether the voice is heard from the next 20 ms on.
  public var isSpeaking: Bool {
    get { state.withLock { $0.isSpeaking } }
    set { state.withLock { $0.isSpeaking = newValue } }
  }

  /// How far the mouth is open in the newest sound, 0…1; moved by the microphone.
  public internal(set) var mouthOpen: Double {
    get { state.withLock { $0.mouthOpen } }
    set { state.withLock { $0.mouthOpen = newValue } }
  }

  /// A camera that looks at this person.
  ///
  /// - Parameters:
  ///   - format: size and rate of the pictures.
  ///   - clock: paces the pictures, and is written into their stamps in milliseconds.
  public func camera(
    format: VideoFormat = VideoFormat(width: 640, height: 360, frameInterval: .nanoseconds(66_666_667)),
    clock: @escaping @Sendable () -> MonotonicTime
  ) -> sending SyntheticCamera {
    SyntheticCamera(self, format: format, clock: clock)
  }

  /// A microphone that hears this person.
  public func microphone() -> SyntheticMicrophone { SyntheticMicrophone(self) }
}

/// Pictures of a ``SyntheticPerson``, each with a ``FrameStamp``. Like a camera it gives a picture when its time has
/// come, and leaves out those that nobody fetched in time. It never ends.
public final class SyntheticCamera: VideoSource {
  public let format: VideoFormat
  private let person: SyntheticPerson
  private let painter: PersonPainter
  private let clock: @Sendable () -> MonotonicTime
  private var start: MonotonicTime?
  private var nextIndex = 0

  fileprivate init(
    _ person: SyntheticPerson, format: VideoFormat, clock: @escaping @Sendable () -> MonotonicTime
  ) {
    self.person = person
    self.format = format
    self.clock = clock
    painter = PersonPainter(person.person.appearance, width: format.width, height: format.height)
  }

  /// Sleeps until the next picture is due, if that lies ahead.
  public func nextFrame() -> SourceFrame? {
    let now = clock()
    let start = start ?? now
    self.start = start
    let due = start + format.frameInterval * nextIndex
    if due > now {
      Self.sleep(due - now)
    } else if now - due >= format.frameInterval {
      nextIndex = Int((now - start) / format.frameInterval)
    }
    let index = nextIndex
    nextIndex += 1
    let stamp = FrameStamp(frame: index, milliseconds: Int(clock().nanoseconds / 1_000_000))
    let offset = format.frameInterval * index
    let picture = painter.draw(time: offset, mouthOpen: person.mouthOpen, stamp: stamp)
    return SourceFrame(content: .picture(picture), offset: offset)
  }

  private static func sleep(_ duration: Duration) {
    let nanoseconds = Int(duration.inNanoseconds)
    var wait = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    var rest = timespec()
    while nanosleep(&wait, &rest) != 0, errno == EINTR { wait = rest }
  }
}

/// The voice of a ``SyntheticPerson``; exact silence while they do not speak. It never ends.
public struct SyntheticMicrophone: AudioSource {
  private let person: SyntheticPerson
  private var voice: Voice

  fileprivate init(_ person: SyntheticPerson) {
    self.person = person
    voice = Voice(person.person.appearance.voice, seed: person.person.appearance.seed)
  }

  public mutating func next() -> AudioSourceBlock? {
    let slice = voice.next(isSpeaking: person.isSpeaking)
    person.mouthOpen = slice.mouthOpen
    return .samples(slice.samples)
  }
}
