import Conference
import Foundation
import RTCCore
import Screen
import Testing

/// A room of people with a camera and a microphone each: 640x360 with three layers, everything subscribed.
enum Fixture {
  static let names = [
    "Ada", "Björn", "Chidi", "Dolores", "Émile", "Farida", "Grace", "Hedy", "Ines", "José", "Kofi", "Lin",
  ]

  static let layers = [
    VideoLayer(id: .low, width: 160, height: 90), VideoLayer(id: .medium, width: 320, height: 180),
    VideoLayer(id: .high, width: 640, height: 360),
  ]

  static func video(_ index: Int) -> TrackID { TrackID("video\(index)") }
  static func identity(_ index: Int) -> ParticipantIdentity { ParticipantIdentity("p\(index)") }
  static func tile(_ index: Int) -> TileID { TileID(identity(index)) }

  static func participant(_ index: Int, name: String? = nil) -> Participant {
    Participant(
      id: identity(index), name: name ?? (index < names.count ? names[index] : "Person \(index)"),
      tracks: [
        Track(
          id: video(index), kind: .video, source: .camera, width: 640, height: 360, layers: layers, isSubscribed: true),
        Track(id: TrackID("audio\(index)"), kind: .audio, source: .microphone, isSubscribed: true),
      ])
  }

  static func room(_ indices: some Sequence<Int>, connection: RoomSnapshot.Connection = .joined) -> RoomSnapshot {
    let watcher = Participant(id: ParticipantIdentity("me"), name: "Watcher", isLocal: true)
    return RoomSnapshot(name: "demo", connection: connection, participants: [watcher] + indices.map { participant($0) })
  }

  /// A screen on which so many people are, one second after joining.
  static func state(
    _ count: Int, columns: Int = 80, rows: Int = 24, cellAspect: Double = 0.5, view: ViewOptions = ViewOptions()
  ) -> ScreenState {
    var state = ScreenState(columns: columns, rows: rows, cellAspect: cellAspect, view: view)
    _ = reduce(&state, .tick(.zero + .seconds(9)))
    _ = reduce(&state, .room(room(0..<count)))
    _ = reduce(&state, .tick(.zero + .seconds(10)))
    return state
  }

  static func statistics(_ count: Int, width: Int = 160, height: Int = 90) -> [TrackID: TileStatistics] {
    Dictionary(
      uniqueKeysWithValues: (0..<count).map {
        (video($0), TileStatistics(width: width, height: height, framesPerSecond: 15, bitrate: 100_000))
      })
  }

  /// A picture of the size that the state wants, of one colour.
  static func pictures(_ state: ScreenState, fill: UInt32 = 0x336699) -> (TrackID) -> RGBPicture? {
    { track in state.videoTargets[track].map { RGBPicture(width: $0.width, height: $0.height, fill: fill) } }
  }

  static func drawn(_ state: ScreenState, signs: GlyphSet = .unicode) -> CellGrid {
    var renderer = ScreenRenderer(signs: signs)
    renderer.render(state, pictures: pictures(state))
    return renderer.grid
  }
}

extension ScreenState {
  /// Presses keys and gathers what they ask for.
  @discardableResult
  mutating func type(_ keys: Key...) -> [ScreenEffect] {
    keys.flatMap { reduce(&self, .key($0)) }
  }
}

/// Compares text with a file in Tests/Golden/Screen, or writes the file when UPDATE_GOLDEN is set.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Golden/Screen")
  let file = folder.appending(path: name + ".txt")
  if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try (text + "\n").write(to: file, atomically: true, encoding: .utf8)
  }
  #expect(try String(contentsOf: file, encoding: .utf8) == text + "\n", sourceLocation: sourceLocation)
}
