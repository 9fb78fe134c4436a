import Conference
import TestKit
import Testing

/// Short names for what rooms are made of.
enum Sample {
  static let ann = ParticipantIdentity("ann")
  static let bob = ParticipantIdentity("bob")
  static let me = Participant(id: ParticipantIdentity("me"), name: "Me", isLocal: true)

  static func participant(_ id: ParticipantIdentity, _ tracks: [Track] = []) -> Participant {
    Participant(id: id, name: id.raw, tracks: tracks)
  }
  static func video(_ id: String, isMuted: Bool = false, layers: [VideoLayer] = []) -> Track {
    Track(id: TrackID(id), kind: .video, source: .camera, isMuted: isMuted, layers: layers)
  }
  static func audio(_ id: String) -> Track { Track(id: TrackID(id), kind: .audio, source: .microphone) }

  static func room(_ events: ConferenceEvent...) -> RoomModel {
    var model = RoomModel()
    model.apply(.joined(room: "demo", participants: [me]))
    for event in events { model.apply(event) }
    return model
  }
}

@Suite struct RoomModelTests {
  @Test func aModelBeginsEmptyAndJoining() {
    #expect(RoomModel().snapshot == RoomSnapshot(name: "", connection: .joining, participants: []))
  }

  @Test func joiningTakesTheRoomOver() {
    let snapshot = Sample.room().snapshot
    #expect(snapshot.name == "demo")
    #expect(snapshot.connection == .joined)
    #expect(snapshot.participants == [Sample.me])
  }

  @Test func participantsKeepTheirOrderOfArrival() {
    var model = Sample.room(
      .participantUpdated(Sample.participant(Sample.bob)), .participantUpdated(Sample.participant(Sample.ann)))
    model.apply(.participantUpdated(Sample.participant(Sample.bob, [Sample.video("V")])))
    #expect(model.snapshot.participants.map(\.id.raw) == ["me", "bob", "ann"])
    model.apply(.participantLeft(Sample.bob))
    #expect(model.snapshot.participants.map(\.id.raw) == ["me", "ann"])
  }

  @Test func anUpdateKeepsWhatItDoesNotSay() throws {
    var model = Sample.room(
      .participantUpdated(Sample.participant(Sample.ann, [Sample.video("V"), Sample.audio("A")])),
      .subscribed(Sample.ann, TrackID("V")), .activityChanged(TrackID("V"), isActive: false),
      .speakersChanged([(identity: Sample.ann, level: 0.5, isSpeaking: true)]), .qualityChanged(Sample.ann, .poor))
    model.apply(.participantUpdated(Sample.participant(Sample.ann, [Sample.video("V", isMuted: true)])))
    let ann = try #require(model.snapshot[Sample.ann])
    #expect(ann.tracks.map(\.id.raw) == ["V"])
    #expect(ann.tracks[0].isMuted)
    #expect(ann.tracks[0].isSubscribed)
    #expect(!ann.tracks[0].isActive)
    #expect(ann.isSpeaking)
    #expect(ann.audioLevel == 0.5)
    #expect(ann.quality == .poor)
  }

  @Test func aTrackThatComesBackIsNotSubscribedByItself() throws {
    var model = Sample.room(
      .participantUpdated(Sample.participant(Sample.ann, [Sample.video("V")])), .subscribed(Sample.ann, TrackID("V")),
      .participantUpdated(Sample.participant(Sample.ann)))
    model.apply(.participantUpdated(Sample.participant(Sample.ann, [Sample.video("V")])))
    #expect(model.snapshot[Sample.ann]?.tracks.map(\.isSubscribed) == [false])
  }

  @Test func silenceHasNoLevel() {
    let model = Sample.room(
      .participantUpdated(Sample.participant(Sample.ann)),
      .speakersChanged([(identity: Sample.ann, level: 0.5, isSpeaking: true)]),
      .speakersChanged([(identity: Sample.ann, level: 0.2, isSpeaking: false)]))
    #expect(model.snapshot[Sample.ann]?.audioLevel == 0)
    #expect(model.snapshot[Sample.ann]?.isSpeaking == false)
  }

  @Test func eventsAboutNobodyChangeNothing() {
    var model = Sample.room(.participantUpdated(Sample.participant(Sample.ann, [Sample.video("V")])))
    let before = model.snapshot
    let events: [ConferenceEvent] = [
      .participantLeft(Sample.bob), .subscribed(Sample.bob, TrackID("V")), .unsubscribed(Sample.ann, TrackID("X")),
      .speakersChanged([(identity: Sample.bob, level: 1, isSpeaking: true)]), .qualityChanged(Sample.bob, .lost),
      .activityChanged(TrackID("X"), isActive: false), .published(localID: "l", TrackID("V")),
      .publishFailed(localID: "l", message: ""), .tokenRefreshed("t"), .roundTrip(.milliseconds(1)),
    ]
    for event in events { #expect(model.apply(event) == before) }
  }

  @Test func leavingEmptiesTheRoomAndJoiningAgainFillsIt() {
    var model = Sample.room(.participantUpdated(Sample.participant(Sample.ann)), .left(.requested))
    #expect(model.snapshot == RoomSnapshot(name: "demo", connection: .left))
    model.apply(.joined(room: "demo", participants: [Sample.me]))
    #expect(model.snapshot == Sample.room().snapshot)
  }
}
