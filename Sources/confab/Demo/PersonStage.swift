import Foundation
import Media
import RTCCore
import Synchronization
import Transport

/// What camera and microphone of one synthetic person share: whether they speak, and how far the mouth is open.
final class PersonStage: Sendable {
  private struct State {
    var isSpeaking = false
    var mouthOpen = 0.0
  }

  private let state = Mutex(State())

  var isSpeaking: Bool {
    get { state.withLock { $0.isSpeaking } }
    set { state.withLock { $0.isSpeaking = newValue } }
  }
  var mouthOpen: Double {
    get { state.withLock { $0.mouthOpen } }
    set { state.withLock { $0.mouthOpen = newValue } }
  }
}

/// The person's voice, which opens the mouth on the stage.
struct PersonMicrophone: AudioSource {
  private let stage: PersonStage
  private var voice: Voice

  init(_ person: Person, stage: PersonStage) {
    self.stage = stage
    voice = Voice(person.appearance.voice, seed: person.appearance.seed)
  }

  mutating func next() -> AudioSourceBlock? {
    let slice = voice.next(isSpeaking: stage.isSpeaking)
    stage.mouthOpen = slice.mouthOpen
    return .samples(slice.samples)
  }
}

/// Pictures of the person, each stamped with its number and the time.
final class PersonCamera: VideoSource {
  /// Enough for a talking head, and gentle to two cores with nine people on them.
  static let framesPerSecond = 15

  let format: VideoFormat
  private let stage: PersonStage
  private let painter: PersonPainter
  private let start = NetworkActor.now
  private var count = 0

  init(_ person: Person, stage: PersonStage, width: Int, height: Int) {
    format = VideoFormat(width: width, height: height, frameInterval: .seconds(1) / Self.framesPerSecond)
    self.stage = stage
    painter = PersonPainter(person.appearance, width: width, height: height)
  }

  /// Drawn when it is due, so that the stamp tells the time of capture: this waits where other sources do not.
  func nextFrame() -> SourceFrame? {
    let offset = format.frameInterval * count
    let wait = start + offset - NetworkActor.now
    if wait > .zero { Thread.sleep(forTimeInterval: wait.inSeconds) }
    let now = NetworkActor.now
    // What could not be drawn in time is left out, as a camera would.
    if now - (start + offset) > format.frameInterval * 2 {
      count = Int((now - start) / format.frameInterval)
    }
    let stamp = FrameStamp(frame: count, milliseconds: Int(now.nanoseconds / 1_000_000))
    let picture = painter.draw(time: now - start, mouthOpen: stage.mouthOpen, stamp: stamp)
    defer { count += 1 }
    return SourceFrame(content: .picture(picture), offset: format.frameInterval * count)
  }
}

/// The picture that `--video test` sends.
enum TestPicture {
  static func make(width: Int, height: Int) -> any VideoSource {
    PersonCamera(Person.cast[0], stage: PersonStage(), width: width, height: height)
  }
}
