import Conference
import ConferenceClient
import Media
import RTCCore
import Transport

/// One person of the demo: a client of its own that joins, talks, mutes, stops the video and leaves as the conversation
/// has it. Everything it sends crosses the network like anybody's.
@NetworkActor
final class SyntheticParticipant {
  private let token: String
  private let url: String
  private let person: SyntheticPerson
  private var room: RoomConnection?
  private var camera: Publication?
  private var microphone: Publication?
  /// What the room sees of them; nil while they are not in it.
  private var shown: Conversation.State?
  private var isBusy = false

  init(_ person: Person, url: String, token: String) {
    self.person = SyntheticPerson(person)
    self.url = url
    self.token = token
  }

  /// Brings the person in line with the conversation.
  func follow(_ wanted: Conversation.State) async throws(ConferenceError) {
    // Joining takes a moment; what changes meanwhile is caught up with afterwards.
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    person.isSpeaking = wanted.isSpeaking && !wanted.isMuted
    guard wanted.isPresent else { return leave() }
    if room == nil { try await join() }
    guard let room, let camera, let microphone else { return }
    if wanted.isMuted != shown?.isMuted ?? false { room.setMuted(microphone, wanted.isMuted) }
    if wanted.hasVideo != shown?.hasVideo ?? true { room.setMuted(camera, !wanted.hasVideo) }
    shown = wanted
  }

  private func join() async throws(ConferenceError) {
    var options = JoinOptions()
    options.subscribes = false
    let room = try await RoomConnection.join(url: url, token: token, options: options)
    self.room = room
    do throws(MediaError) {
      camera = try room.publish(person.camera(clock: { NetworkActor.now }), layers: SimulcastEncoder.Layer.small)
      microphone = room.publish(person.microphone())
    } catch {
      throw ConferenceError(.internalError, error.message, cause: error)
    }
  }

  func leave() {
    room?.leave()
    room = nil
    camera = nil
    microphone = nil
    shown = nil
  }
}
