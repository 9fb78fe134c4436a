import Conference
import ConferenceClient
import Media
import RTCCore
import Transport

/// One person of the demo: a client of its own that joins, talks, mutes, stops the video and leaves as the conversation
/// has it. Everything it sends crosses the network like anybody's.
@NetworkActor
final class SyntheticParticipant {
  private let person: Person
  private let token: String
  private let url: String
  private let stage = PersonStage()
  private var room: RoomConnection?
  private var camera: Publication?
  private var microphone: Publication?
  private var shown = Conversation.Behaviour()
  private var isBusy = false

  /// Two cores carry nine of these: 640x360, 320x180 and 160x90.
  private static let size = (width: 640, height: 360)

  init(_ person: Person, url: String, token: String) {
    self.person = person
    self.url = url
    self.token = token
  }

  /// Brings the person in line with the conversation.
  func follow(_ wanted: Conversation.Behaviour) async throws(ConferenceError) {
    // Joining takes a moment; what changes meanwhile is caught up with afterwards.
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    stage.isSpeaking = wanted.isSpeaking && !wanted.isMuted
    if wanted.isPresent != shown.isPresent {
      if wanted.isPresent { try await join() } else { leave() }
    }
    if let microphone, let room, wanted.isPresent, wanted.isMuted != shown.isMuted {
      room.setMuted(microphone, wanted.isMuted)
    }
    if let camera, let room, wanted.isPresent, wanted.hasVideo != shown.hasVideo {
      room.setMuted(camera, !wanted.hasVideo)
    }
    shown = wanted
  }

  private func join() async throws(ConferenceError) {
    var options = JoinOptions()
    options.subscribes = false
    let room = try await RoomConnection.join(url: url, token: token, options: options)
    self.room = room
    do throws(MediaError) {
      let source = PersonCamera(person, stage: stage, width: Self.size.width, height: Self.size.height)
      camera = try room.publish(source, layers: SimulcastEncoder.Layer.small)
      microphone = room.publish(PersonMicrophone(person, stage: stage))
    } catch {
      throw ConferenceError(.internalError, error.message, cause: error)
    }
    shown = Conversation.Behaviour(isPresent: true)
  }

  func leave() {
    room?.leave()
    room = nil
    camera = nil
    microphone = nil
    shown = Conversation.Behaviour()
  }
}
