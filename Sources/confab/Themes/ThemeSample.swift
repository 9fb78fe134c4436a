import Conference
import RTCCore
import Screen

/// A small room that shows most of what a theme colours: someone selected, someone who speaks, cameras that are off, and
/// a message.
enum ThemeSample {
  private static let columns = 78
  private static let rows = 18

  static func grid(_ theme: Theme) -> CellGrid {
    var state = ScreenState(columns: columns, rows: rows)
    _ = reduce(&state, .tick(.zero + .seconds(1)))
    _ = reduce(&state, .themes([theme.name], current: theme.name))
    _ = reduce(&state, .room(room))
    _ = reduce(&state, .audio(.playing(device: "default")))
    _ = reduce(&state, .key(.tab))
    _ = reduce(&state, .key(.character("m")))
    _ = reduce(&state, .tick(.zero + .seconds(754)))
    _ = reduce(&state, .message("The theme \(theme.name)"))
    var grid = CellGrid(columns: columns, rows: rows)
    draw(state, pictures: { _ in nil }, theme: theme, on: &grid)
    return grid
  }

  private static var room: RoomSnapshot {
    let people = [
      person("Ada Lovelace", cameraOff: true), person("Björn", cameraOff: true), person("Chidi", level: 0.8),
    ]
    return RoomSnapshot(name: "atelier", connection: .joined, participants: people)
  }

  private static func person(_ name: String, cameraOff: Bool = false, level: Double = 0) -> Participant {
    let camera = Track(
      id: TrackID(name + " video"), kind: .video, source: .camera, isMuted: cameraOff, width: 640, height: 360,
      isSubscribed: true)
    let microphone = Track(id: TrackID(name + " audio"), kind: .audio, source: .microphone, isSubscribed: true)
    var participant = Participant(id: ParticipantIdentity(name), name: name, tracks: [camera, microphone])
    participant.isSpeaking = level > 0
    participant.audioLevel = level
    return participant
  }
}
