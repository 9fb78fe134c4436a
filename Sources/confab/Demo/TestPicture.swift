import Media
import Transport

/// The picture that `--video test` sends: somebody who looks at you, numbered and dated in its lowest rows.
enum TestPicture {
  /// Pictures a second.
  private static let rate = 15

  static func make(width: Int, height: Int) -> any VideoSource {
    SyntheticPerson(Person.cast[0]).camera(
      format: VideoFormat(width: width, height: height, frameInterval: .seconds(1) / rate), clock: { NetworkActor.now })
  }
}
