import RTCCore
import Testing

@testable import RoomServer

/// Which tracks a WHEP player gets.
@Suite struct PlayerProgrammeTests {
  private typealias Source = PlayerProgramme.Source
  private let anna = Source(id: "anna", video: "a-video", audio: "a-audio")
  private let bert = Source(id: "bert", video: "b-video", audio: "b-audio")
  private let radio = Source(id: "radio", video: nil, audio: "r-audio")

  private func updated(_ programme: PlayerProgramme, _ sources: [Source]) -> PlayerProgramme {
    var programme = programme
    programme.update(sources)
    return programme
  }

  @Test func onePictureAndOneSoundAreOfTheSamePerson() {
    let programme = updated(PlayerProgramme(videoSections: 1, audioSections: 1), [anna, bert])
    #expect(programme.tracks(.video) == ["a-video"])
    #expect(programme.tracks(.audio) == ["a-audio"])
  }

  @Test func whoIsShownStaysWhenOthersComeFirst() {
    let programme = updated(PlayerProgramme(videoSections: 1, audioSections: 1), [anna])
    #expect(updated(programme, [bert, anna]).tracks(.video) == ["a-video"])
  }

  @Test func aPlaceIsTakenOverWhenNothingIsLeftOfItsSource() {
    let programme = updated(PlayerProgramme(videoSections: 1, audioSections: 1), [anna, bert])
    let muted = updated(programme, [Source(id: "anna", video: nil, audio: "a-audio"), bert])
    // Sound alone is still something.
    #expect(muted.tracks(.video) == [nil])
    #expect(muted.tracks(.audio) == ["a-audio"])
    let left = updated(muted, [bert])
    #expect(left.tracks(.video) == ["b-video"])
    #expect(left.tracks(.audio) == ["b-audio"])
  }

  @Test func aNewTrackOfTheSameSourceTakesItsSection() {
    let programme = updated(PlayerProgramme(videoSections: 1, audioSections: 1), [anna])
    let changed = updated(programme, [Source(id: "anna", video: "other", audio: "a-audio")])
    #expect(changed.tracks(.video) == ["other"])
  }

  @Test func aPlayerWithoutSoundShowsNobodyWithoutPicture() {
    let programme = updated(PlayerProgramme(videoSections: 2, audioSections: 0), [radio, bert])
    #expect(programme.tracks(.video) == ["b-video", nil])
    #expect(programme.tracks(.audio).isEmpty)
  }

  @Test func moreSectionsOfAKindHaveSoundOrPictureAlone() {
    let programme = updated(PlayerProgramme(videoSections: 1, audioSections: 2), [anna, radio])
    #expect(programme.tracks(.video) == ["a-video"])
    #expect(programme.tracks(.audio) == ["a-audio", "r-audio"])
  }

  @Test func nothingToShowIsEmpty() {
    #expect(updated(PlayerProgramme(videoSections: 1, audioSections: 0), [radio]).isEmpty)
    #expect(!updated(PlayerProgramme(videoSections: 1, audioSections: 1), [radio]).isEmpty)
  }
}
