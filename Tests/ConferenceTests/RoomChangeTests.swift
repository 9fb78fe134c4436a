import Conference
import TestKit
import Testing

@Suite struct RoomChangeTests {
  /// What `event` changes in a room where Ann shows one video track.
  func changes(_ events: ConferenceEvent..., before: [ConferenceEvent] = []) -> [RoomChange] {
    var model = Sample.room(.participantUpdated(Sample.participant(Sample.ann, [Sample.video("V")])))
    for event in before { model.apply(event) }
    let old = model.snapshot
    for event in events { model.apply(event) }
    return model.snapshot.changes(since: old)
  }

  @Test func equalSnapshotsHaveNoDifference() {
    let snapshot = Sample.room(.participantUpdated(Sample.participant(Sample.ann))).snapshot
    #expect(snapshot.changes(since: snapshot).isEmpty)
  }

  @Test func aNewcomerBringsItsTracks() {
    let layers = [VideoLayer(id: .low, width: 320, height: 180), VideoLayer(id: .high, width: 1280, height: 720)]
    let video = Sample.video("W", isMuted: true, layers: layers)
    let bob = Sample.participant(Sample.bob, [video])
    #expect(
      changes(.participantUpdated(bob)) == [
        .joined(bob), .trackPublished(Sample.bob, video), .trackMuted(Sample.bob, video), .layers(Sample.bob, video),
      ])
  }

  @Test func theNumberOfViewersIsTold() {
    #expect(changes(.viewersChanged(3)) == [.viewers(3)])
    #expect(changes(.viewersChanged(3), before: [.viewersChanged(3)]).isEmpty)
  }

  @Test func leaversComeFirstAndTakeTheirTracks() {
    var subscribed = Sample.video("V")
    subscribed.isSubscribed = true
    let bob = Sample.participant(Sample.bob)
    #expect(
      changes(
        .participantUpdated(bob), .participantLeft(Sample.ann), before: [.subscribed(Sample.ann, TrackID("V"))])
        == [
          .trackUnsubscribed(Sample.ann, subscribed), .trackUnpublished(Sample.ann, subscribed),
          .left(Sample.participant(Sample.ann, [subscribed])), .joined(bob),
        ])
  }

  @Test func tracksComeAndGo() {
    let audio = Sample.audio("A")
    let ann = Sample.participant(Sample.ann, [audio])
    #expect(
      changes(.participantUpdated(ann)) == [
        .updated(ann), .trackUnpublished(Sample.ann, Sample.video("V")), .trackPublished(Sample.ann, audio),
      ])
  }

  @Test func subscriptionMuteActivityAndLayersAreToldByTrack() {
    func details(_ event: ConferenceEvent, before: [ConferenceEvent] = []) -> [RoomChange] {
      Array(changes(event, before: before).dropFirst())
    }
    var track = Sample.video("V")
    track.isSubscribed = true
    #expect(details(.subscribed(Sample.ann, track.id)) == [.trackSubscribed(Sample.ann, track)])
    #expect(
      details(.unsubscribed(Sample.ann, track.id), before: [.subscribed(Sample.ann, track.id)])
        == [.trackUnsubscribed(Sample.ann, Sample.video("V"))])
    let muted = Sample.video("V", isMuted: true)
    #expect(
      details(.participantUpdated(Sample.participant(Sample.ann, [muted]))) == [.trackMuted(Sample.ann, muted)])
    #expect(
      details(
        .participantUpdated(Sample.participant(Sample.ann, [Sample.video("V")])),
        before: [.participantUpdated(Sample.participant(Sample.ann, [muted]))])
        == [.trackUnmuted(Sample.ann, Sample.video("V"))])
    let layered = Sample.video("V", layers: [VideoLayer(id: .low, width: 320, height: 180)])
    #expect(
      details(.participantUpdated(Sample.participant(Sample.ann, [layered]))) == [.layers(Sample.ann, layered)])
    var paused = Sample.video("V")
    paused.isActive = false
    #expect(details(.activityChanged(track.id, isActive: false)) == [.activity(Sample.ann, paused)])
  }

  @Test func speakingAndQualityAreToldByParticipant() {
    #expect(
      changes(.speakersChanged([(identity: Sample.ann, level: 0.5, isSpeaking: true)])).last
        == .speaking(Sample.ann, isSpeaking: true, level: 0.5))
    #expect(
      changes(
        .speakersChanged([(identity: Sample.ann, level: 0, isSpeaking: false)]),
        before: [.speakersChanged([(identity: Sample.ann, level: 0.5, isSpeaking: true)])]
      ).last == .speaking(Sample.ann, isSpeaking: false, level: 0))
    #expect(changes(.qualityChanged(Sample.ann, .lost)).last == .quality(Sample.ann, .lost))
  }

  @Test func theEndOfTheConferenceComesBeforeTheLeavers() {
    let list = changes(.left(.removed))
    #expect(list.first == .connection(.left))
    #expect(list.filter { if case .left = $0 { true } else { false } }.count == 2)
  }

  /// Follows a difference as a collection view does.
  private func rebuilt(_ old: RoomSnapshot, by changes: [RoomChange]) -> Set<Participant> {
    var present = Dictionary(uniqueKeysWithValues: old.participants.map { ($0.id, $0) })
    for change in changes {
      switch change {
      case .joined(let participant), .updated(let participant): present[participant.id] = participant
      case .left(let participant): present[participant.id] = nil
      default: break
      }
    }
    return Set(present.values)
  }

  @Test(arguments: UInt64(1)...8) func aDifferenceLeadsFromOneSnapshotToTheOther(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var model = Sample.room()
    var old = model.snapshot
    for step in 0..<400 {
      let identity = ParticipantIdentity("p\(Int.random(in: 0..<6, using: &generator))")
      let track = Sample.video("\(identity.raw)-\(Int.random(in: 0..<3, using: &generator))")
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1: model.apply(.participantUpdated(Sample.participant(identity, [track])))
      case 2: model.apply(.participantLeft(identity))
      case 3: model.apply(.subscribed(identity, track.id))
      case 4:
        model.apply(.speakersChanged([(identity: identity, level: 0.5, isSpeaking: Bool.random(using: &generator))]))
      default: model.apply(.activityChanged(track.id, isActive: Bool.random(using: &generator)))
      }
      guard step % 3 == 0 else { continue }
      let changes = model.snapshot.changes(since: old)
      #expect(rebuilt(old, by: changes) == Set(model.snapshot.participants))
      // Somebody who left and came back between the two has only another place.
      #expect(changes.isEmpty == (Set(old.participants) == Set(model.snapshot.participants)))
      old = model.snapshot
    }
  }
}
