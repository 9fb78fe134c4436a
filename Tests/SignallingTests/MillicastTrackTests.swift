import Conference
import RTCCore
import Signalling
import TestKit
import Testing

/// Which track is on which mid, and with which layer.
@Suite struct MillicastTrackTests {
  static let cam2 = ParticipantIdentity("cam2")
  static let video2 = TrackID("cam2/video")
  static let audio2 = TrackID("cam2/audio")

  /// A viewer to whom cam2 is projected on the mids 2 and 3.
  static func withSecondSource() throws -> MillicastHarness {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, nil)
    _ = harness.active(1, "cam2")
    _ = harness.reply(1, transaction: 2)
    return harness
  }

  // MARK: Enabling

  @Test func aSecondSourceIsProjectedOntoNewMids() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, nil)
    let outputs = harness.active(1, "cam2")
    #expect(
      outputs.sent == [
        SentCommand(
          link: 1, transaction: 2, name: "project",
          data: [
            "sourceId": "cam2",
            "mapping": [["mediaId": "2", "media": "video"], ["mediaId": "3", "media": "audio"]],
          ])
      ])
    // Packets may come before the answer, so the mids are known to the media path already.
    #expect(
      outputs.receivedMids.last == ["match1/video": "0", "match1/audio": "1", "cam2/video": "2", "cam2/audio": "3"])
    #expect(!outputs.events.contains(.subscribed(Self.cam2, Self.video2)))
    let answered = harness.reply(1, transaction: 2)
    #expect(answered.events == [.subscribed(Self.cam2, Self.video2), .subscribed(Self.cam2, Self.audio2)])
    #expect(answered.sent.isEmpty)
  }

  @Test func addedSectionsAreCopiesOfTheFirstAnswerOfTheirKind() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, nil)
    let outputs = harness.active(1, "cam2")
    let received = outputs.commands().compactMap { command -> [ReceivedTrack]? in
      if case .media(.receive(let tracks)) = command { tracks } else { nil }
    }
    let main = try #require(received.last?.first { $0.track == TrackID("match1/video") })
    let added = try #require(received.last?.first { $0.track == Self.video2 })
    #expect(added.payloadTypes == main.payloadTypes)
    #expect(added.rtxPayloadTypes == main.rtxPayloadTypes)
    #expect(added.extensions == main.extensions)
    // Nothing tells which sources its packets have: only their mid does.
    #expect(added.ssrc == nil && added.rtxSSRC == nil)
  }

  @Test func aSecondTrackOfAKindIsNamedByItsID() throws {
    let harness = try MillicastHarness.viewing()
    let tracks = #"[{"trackId":"v1","media":"video"},{"trackId":"v2","media":"video"}]"#
    let outputs = harness.event(1, "active", #"{"sourceId":"cam2","tracks":\#(tracks)}"#)
    #expect(
      outputs.sent.map { $0.data["mapping"] } == [
        [["mediaId": "2", "media": "video"], ["mediaId": "3", "media": "video", "trackId": "v2"]]
      ])
    #expect(outputs.receivedMids.last == ["cam2/video": "2", "cam2/video/1": "3"])
  }

  @Test func nothingIsReceivedUnaskedWhenSubscribingIsLeftToTheProgram() throws {
    let harness = try MillicastHarness.viewing { $0.subscribes = false }
    let main = harness.active(1, nil)
    // The server has put the main source onto the first mids by itself.
    #expect(
      main.sent.map(\.data) == [["mediaIds": ["0", "1"]]] || main.sent.map(\.data) == [["mediaIds": ["1", "0"]]])
    #expect(!main.events.contains { if case .subscribed = $0 { true } else { false } })
    #expect(harness.active(1, "cam2").sent.isEmpty)
    let outputs = harness.command(.setSubscribed(Self.video2, true))
    #expect(outputs.sent.map { $0.data["mapping"] } == [[["mediaId": "2", "media": "video"]]])
    #expect(harness.reply(1, transaction: 3).events == [.subscribed(Self.cam2, Self.video2)])
  }

  @Test func aRefusedProjectionFailsOnlyItsTrack() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, "cam2")
    // Both were refused together, so each is tried alone.
    let alone = harness.refuse(1, transaction: 2, "mapping is wrong")
    #expect(alone.sent.map { $0.data["mapping"] } == [[["mediaId": "2", "media": "video"]]])
    #expect(alone.events.isEmpty)
    let failed = harness.refuse(1, transaction: 3, "no such track")
    #expect(
      failed.events == [
        .subscriptionFailed(
          Self.cam2, Self.video2, message: "The video of cam2 cannot be received: no such track.")
      ])
    #expect(failed.sent.map { $0.data["mapping"] } == [[["mediaId": "3", "media": "audio"]]])
    #expect(harness.reply(1, transaction: 4).events == [.subscribed(Self.cam2, Self.audio2)])
    #expect(harness.run(for: .seconds(60)).sent.isEmpty)
    // Asked for again, it is tried again.
    #expect(harness.command(.setSubscribed(Self.video2, true)).sent.map(\.name) == ["project"])
  }

  @Test func aProjectionThatIsNotAnsweredFailsAfterTenSeconds() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, "cam2")
    #expect(harness.run(for: .milliseconds(9_999)).events.isEmpty)
    let outputs = harness.run(for: .milliseconds(1))
    #expect(
      outputs.events.map { if case .subscriptionFailed(_, let track, _) = $0 { track.raw } else { "?" } }.sorted()
        == ["cam2/audio", "cam2/video"])
    #expect(outputs.receivedMids.last == [:])
  }

  @Test func videoInAnotherCodecIsRefusedWithASentence() throws {
    let harness = try MillicastHarness()
    try harness.enter(link: 1, answer: MillicastAnswer.text(codec: "H264"))
    let outputs = harness.active(1, "cam2")
    guard case .subscriptionFailed(_, Self.video2, let message)? = outputs.events.last else {
      Issue.record("nothing was said about the codec")
      return
    }
    #expect(message.contains("codec"))
    #expect(outputs.sent.map { $0.data["mapping"] } == [[["mediaId": "2", "media": "audio"]]])
  }

  // MARK: Disabling

  @Test func aHiddenTileReceivesNothingAndItsMidServesAnother() throws {
    let harness = try Self.withSecondSource()
    let hidden = harness.command(.requestLayer(Self.video2, .off))
    #expect(hidden.sent.map(\.name) == ["unproject"])
    #expect(hidden.sent.map(\.data) == [["mediaIds": ["2"]]])
    // It stays in the list, without a mid, for its last picture to stay; and it stays subscribed.
    #expect(hidden.receivedMids.last?["cam2/video"] == "")
    #expect(hidden.events.isEmpty)
    #expect(harness.reply(1, transaction: 3).isEmpty)
    _ = harness.run(for: .seconds(1))
    let third = harness.active(1, "cam3")
    #expect(
      third.sent.map { $0.data["mapping"] } == [
        [["mediaId": "2", "media": "video"], ["mediaId": "4", "media": "audio"]]
      ])
  }

  @Test func aMidRestsForASecondBeforeItServesAnother() throws {
    let harness = try Self.withSecondSource()
    _ = harness.command(.requestLayer(Self.video2, .off))
    _ = harness.reply(1, transaction: 3)
    _ = harness.run(for: .milliseconds(999))
    #expect(harness.active(1, "cam3").receivedMids.last?["cam3/video"] == "4")
  }

  @Test func unsubscribingSaysSoAndStopsTheTrack() throws {
    let harness = try Self.withSecondSource()
    let outputs = harness.command(.setSubscribed(Self.audio2, false))
    #expect(outputs.events == [.unsubscribed(Self.cam2, Self.audio2)])
    #expect(outputs.sent.map(\.data) == [["mediaIds": ["3"]]])
    #expect(outputs.receivedMids.last?["cam2/audio"] == nil)
    #expect(harness.reply(1, transaction: 3).isEmpty)
    let again = harness.command(.setSubscribed(Self.audio2, true))
    #expect(again.sent.map(\.name) == ["project"])
    #expect(harness.reply(1, transaction: 4).events == [.subscribed(Self.cam2, Self.audio2)])
  }

  @Test func enablingAndDisablingASourceTakeTurns() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, "cam2")
    // The first projection is not answered yet: whatever is wished meanwhile waits, and only the last wish counts.
    for request in [LayerRequest.off, .automatic, .off, .automatic, .off] {
      #expect(harness.command(.requestLayer(Self.video2, request)).sent.isEmpty)
    }
    #expect(harness.reply(1, transaction: 2).sent.map(\.name) == ["unproject"])
    #expect(harness.command(.requestLayer(Self.video2, .automatic)).sent.isEmpty)
    #expect(harness.reply(1, transaction: 3).sent.map(\.name) == ["project"])
    #expect(harness.reply(1, transaction: 4).sent.isEmpty)
  }

  @Test func otherSourcesDoNotWaitForASlowOne() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, "cam2")
    #expect(harness.active(1, "cam3").sent.map { $0.data["sourceId"] } == ["cam3"])
  }

  @Test func theMainSourceKeepsItsMidsWhileItIsHidden() throws {
    let harness = try Self.withSecondSource()
    let main = TrackID("match1/video")
    #expect(harness.command(.requestLayer(main, .off)).sent.map(\.data) == [["mediaIds": ["0"]]])
    _ = harness.reply(1, transaction: 3)
    _ = harness.run(for: .seconds(5))
    #expect(harness.active(1, "cam3").receivedMids.last?["cam3/video"] == "4")
    _ = harness.reply(1, transaction: 4)
    let back = harness.command(.requestLayer(main, .automatic))
    #expect(
      back.sent.map(\.data) == [["sourceId": .null, "mapping": [["mediaId": "0", "media": "video"]]]])
  }

  @Test func aPinnedSourceHasTheFirstMidsAndTheMainSourceAskForOthers() throws {
    let harness = try MillicastHarness.viewing("millicast://acme/match1?pin=cam2")
    let pinned = harness.active(1, "cam2")
    #expect(pinned.sent.isEmpty)
    #expect(pinned.receivedMids.last == ["cam2/video": "0", "cam2/audio": "1"])
    let main = harness.active(1, nil)
    #expect(
      main.sent.map(\.data) == [
        [
          "sourceId": .null,
          "mapping": [["mediaId": "2", "media": "video"], ["mediaId": "3", "media": "audio"]],
        ]
      ])
  }

  @Test func thereIsAnEndToMidsAndInactiveSourcesGiveTheirsBack() throws {
    let harness = try MillicastHarness.viewing { $0.kinds = [.video] }
    // The first mid is the main source's; 63 are left.
    for number in 1...63 {
      _ = harness.active(1, "cam\(number)")
      _ = harness.reply(1, transaction: number + 1)
    }
    let refused = harness.active(1, "cam64")
    guard case .subscriptionFailed(_, _, let message)? = refused.events.last else {
      Issue.record("the 65th was taken")
      return
    }
    #expect(message.contains("64 tracks"))
    _ = harness.inactive(1, "cam5")
    let reclaimed = harness.active(1, "cam64")
    #expect(reclaimed.sent.map(\.name) == ["unproject"])
    #expect(reclaimed.sent.map(\.data) == [["mediaIds": ["5"]]])
    #expect(harness.reply(1, transaction: 65).sent.map { $0.data["sourceId"] } == ["cam64"])
  }

  // MARK: Layers

  @Test func layersAreNamedLowMediumHighWhateverTheServerCallsThem() throws {
    let harness = try Self.withSecondSource()
    let outputs = harness.layers(1, mid: "2")
    guard case .participantUpdated(let participant)? = outputs.events.first else {
      Issue.record("layers were not told")
      return
    }
    #expect(
      participant.tracks[0].layers == [
        VideoLayer(id: .low, width: 320, height: 180, bitrate: 0, isActive: false),
        VideoLayer(id: .medium, width: 640, height: 360, bitrate: 500_000),
        VideoLayer(id: .high, width: 1280, height: 720, bitrate: 1_800_000),
      ])
    #expect(participant.tracks[0].height == 720)
    // The report comes again and again, and bit rates that wander are no news.
    #expect(harness.layers(1, mid: "2", bitrate: 1_700_000).events.isEmpty)
  }

  @Test func layersOfMidsThatCarryNothingAreIgnored() throws {
    let harness = try Self.withSecondSource()
    #expect(harness.layers(1, mid: "77").isEmpty)
    #expect(harness.layers(1, mid: "3").isEmpty)
  }

  @Test func aLayerIsChosenByProjectingAgainAndOfTheMainVideoBySelecting() throws {
    let harness = try Self.withSecondSource()
    _ = harness.layers(1, mid: "2")
    _ = harness.layers(1, mid: "0")
    let second = harness.command(.requestLayer(Self.video2, .layer(.medium)))
    #expect(
      second.sent == [
        SentCommand(
          link: 1, transaction: 3, name: "project",
          data: [
            "sourceId": "cam2",
            "mapping": [["mediaId": "2", "media": "video", "layer": ["encodingId": "m"]]],
          ])
      ])
    let main = harness.command(.requestLayer(TrackID("match1/video"), .layer(.high)))
    #expect(main.sent.map(\.name) == ["select"])
    #expect(main.sent.map(\.data) == [["layer": ["encodingId": "h"]]])
    _ = harness.reply(1, transaction: 4)
    #expect(
      harness.command(.requestLayer(TrackID("match1/video"), .automatic)).sent.map(\.data) == [["layer": [:]]])
  }

  @Test(arguments: [
    (LayerRequest.layer(.high), "h"), (.layer(.medium), "m"), (.layer(.low), "m"), (.size(width: 100, height: 50), "m"),
    (.size(width: 640, height: 360), "m"), (.size(width: 641, height: 361), "h"),
    (.size(width: 4_000, height: 3_000), "h"),
  ])
  func aRequestComesToTheNearestLayerThatIsSent(request: LayerRequest, encoding: String) throws {
    let harness = try Self.withSecondSource()
    _ = harness.layers(1, mid: "2")
    let outputs = harness.command(.requestLayer(Self.video2, request))
    #expect(outputs.sent.map { $0.data["mapping"].elements[0]["layer"] } == [["encodingId": .text(encoding)]])
  }

  @Test func aLayerThatIsAskedForBeforeItIsKnownIsChosenWhenItIs() throws {
    let harness = try Self.withSecondSource()
    #expect(harness.command(.requestLayer(Self.video2, .layer(.medium))).sent.isEmpty)
    #expect(
      harness.layers(1, mid: "2").sent.map { $0.data["mapping"].elements[0]["layer"] } == [["encodingId": "m"]])
    _ = harness.reply(1, transaction: 3)
    // Hidden and shown again, it begins with the layer.
    _ = harness.command(.requestLayer(Self.video2, .off))
    _ = harness.reply(1, transaction: 4)
    let back = harness.command(.requestLayer(Self.video2, .layer(.high)))
    #expect(back.sent.map { $0.data["mapping"].elements[0]["layer"] } == [["encodingId": "h"]])
  }

  @Test func publishersWithoutSimulcastAreLeftToTheServer() throws {
    let harness = try Self.withSecondSource()
    let outputs = harness.event(
      1, "layers",
      #"{"medias":{"2":{"active":[{"bitrate":900000,"width":640,"height":480}],"inactive":[],"layers":[]}}}"#)
    guard case .participantUpdated(let participant)? = outputs.events.first else {
      Issue.record("the layer was not told")
      return
    }
    #expect(participant.tracks[0].layers.map(\.id) == [.high])
    #expect(harness.command(.requestLayer(Self.video2, .layer(.low))).sent.isEmpty)
  }
}
