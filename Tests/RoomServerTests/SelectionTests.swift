import RTCCore
import Testing

@testable import RoomServer

@Suite struct LayerSelectorTests {
  private let three = [
    LayerDescription(quality: 0, width: 320, height: 180), LayerDescription(quality: 1, width: 640, height: 360),
    LayerDescription(quality: 2, width: 1280, height: 720),
  ]
  private func settings(quality: Int = 2, width: Int = 0, height: Int = 0, disabled: Bool = false) -> TrackSettings {
    var settings = TrackSettings()
    settings.quality = quality
    settings.width = width
    settings.height = height
    settings.isDisabled = disabled
    return settings
  }

  @Test func qualityChoosesTheLayerOrTheHighestPublished() {
    #expect(LayerSelector.wanted(by: settings(quality: 0), of: three) == 0)
    #expect(LayerSelector.wanted(by: settings(quality: 1), of: three) == 1)
    #expect(LayerSelector.wanted(by: TrackSettings(), of: three) == 2)
    #expect(LayerSelector.wanted(by: TrackSettings(), of: Array(three.prefix(2))) == 1)
    #expect(LayerSelector.wanted(by: settings(quality: 0), of: Array(three.suffix(2))) == 0)
    #expect(LayerSelector.wanted(by: settings(disabled: true), of: three) == nil)
    #expect(LayerSelector.wanted(by: TrackSettings(), of: []) == 0)
  }

  @Test(arguments: [
    (180, 0), (200, 0), (201, 1), (360, 1), (400, 1), (401, 2), (720, 2), (2000, 2),
  ]) func sizeChoosesTheLowestLayerThatCoversNineTenths(height: Int, layer: Int) {
    #expect(LayerSelector.wanted(by: settings(quality: 0, width: height * 16 / 9, height: height), of: three) == layer)
  }

  @Test func layersOfOneHeightCountAsTheUpperOne() {
    let equal = [
      LayerDescription(quality: 0, width: 640, height: 360), LayerDescription(quality: 1, width: 640, height: 360),
    ]
    #expect(LayerSelector.wanted(by: settings(width: 320, height: 180), of: equal) == 1)
  }

  @Test func portraitTracksAreComparedByWidth() {
    let tall = [
      LayerDescription(quality: 0, width: 180, height: 320), LayerDescription(quality: 1, width: 360, height: 640),
    ]
    #expect(LayerSelector.wanted(by: settings(width: 180, height: 400), of: tall) == 0)
    #expect(LayerSelector.wanted(by: settings(width: 300, height: 100), of: tall) == 1)
  }

  @Test func unannouncedHeightsAreGuessed() {
    let unknown = (0...2).map { LayerDescription(quality: $0, width: 0, height: 0) }
    #expect(LayerSelector.wanted(by: settings(width: 1, height: 180), of: unknown) == 0)
    #expect(LayerSelector.wanted(by: settings(width: 1, height: 360), of: unknown) == 1)
    #expect(LayerSelector.wanted(by: settings(width: 1, height: 361 * 2), of: unknown) == 2)
  }

  @Test func aStoppedLayerGivesWayToTheNextBelowAndThenAbove() {
    #expect(LayerSelector.available(2, active: [true, true, true]) == 2)
    #expect(LayerSelector.available(2, active: [true, true, false]) == 1)
    #expect(LayerSelector.available(1, active: [false, false, true]) == 2)
    #expect(LayerSelector.available(1, active: [false, false, false]) == 1)
    #expect(LayerSelector.available(5, active: [true, true]) == 1)
  }
}

@Suite struct SpeakerDetectorTests {
  @Test func onlyChangesAreTold() {
    let detector = Held(SpeakerDetector())
    #expect(detector.update(["PA_a": 0.3, "PA_b": 0]) == [.init(speaker: "PA_a", level: 0.375, isActive: true)])
    #expect(detector.update(["PA_a": 0.26]).isEmpty)
    #expect(
      detector.update(["PA_a": 0.9, "PA_b": 0.1]) == [
        .init(speaker: "PA_a", level: 1, isActive: true), .init(speaker: "PA_b", level: 0.125, isActive: true),
      ])
    #expect(detector.update([:]).map(\.isActive) == [false, false])
    #expect(detector.value.active.isEmpty)
  }

  @Test func aSingleLoudFrameIsNotSpeech() {
    let window = Held(AudioLevelWindow())
    for index in 0..<40 {
      window.value.observe(level: index == 5 ? 0 : 127, duration: .milliseconds(20), at: .ms(index * 20))
    }
    #expect(window.level(at: .ms(800)) == 0)
  }
}

@Suite struct StreamBinderTests {
  private var binder: Held<StreamBinder> {
    var binder = StreamBinder()
    binder.update(
      sections: [
        .init(mid: "0", kind: .video, rids: ["q", "h", "f"], payloadType: 96, rtxPayloadType: 97),
        .init(mid: "1", kind: .audio, rids: [], mediaSSRC: SSRC(50), payloadType: 111),
      ], extensions: .init(mid: 1, rid: 2, repairedRid: 3))
    return Held(binder)
  }
  private func packet(_ ssrc: UInt32, type: UInt8 = 96, mid: String? = nil, rid: String? = nil, repaired: String? = nil)
    -> RTPPacket
  {
    var extensions: [RTPPacket.Extension] = []
    for (id, text) in [(UInt8(1), mid), (2, rid), (3, repaired)] {
      if let text { extensions.append(.init(id: id, data: Array(text.utf8))) }
    }
    return RTPPacket(
      payloadType: type, sequenceNumber: SequenceNumber(0), timestamp: RTPTimestamp(0), ssrc: SSRC(ssrc),
      extensions: extensions, payload: [0])
  }

  @Test func layersAreLearntFromMidAndRidAndThenKnownBySSRC() throws {
    let binder = binder
    let found = try binder.resolve(packet(5, mid: "0", rid: "h")).get()
    #expect(found == .init(mid: "0", layer: 1, isRetransmission: false, payloadType: 96))
    #expect(try binder.resolve(packet(5)).get() == found)
    let repair = try binder.resolve(packet(6, type: 97, mid: "0", repaired: "f")).get()
    #expect(repair == .init(mid: "0", layer: 2, isRetransmission: true, payloadType: 96))
    #expect(try binder.resolve(packet(50, type: 111)).get().mid == "1")
    // Learnt streams survive the next offer.
    binder.value.update(
      sections: [.init(mid: "0", kind: .video, rids: ["q", "h", "f"], payloadType: 96, rtxPayloadType: 97)],
      extensions: .init(mid: 1, rid: 2, repairedRid: 3))
    #expect(try binder.resolve(packet(5)).get() == found)
    #expect(binder.resolve(packet(50, type: 111)) == .failure(.init(reason: .unknownSSRC)))
  }

  @Test func whatWasNotNegotiatedIsRefused() {
    let binder = binder
    #expect(binder.resolve(packet(9, mid: "0")) == .failure(.init(reason: .unknownSSRC)))
    #expect(binder.resolve(packet(9, mid: "0", rid: "x")) == .failure(.init(reason: .unknownSSRC)))
    #expect(binder.resolve(packet(9, mid: "7", rid: "q")) == .failure(.init(reason: .unknownSSRC)))
    #expect(binder.resolve(packet(9, type: 120, mid: "0", rid: "q")) == .failure(.init(reason: .unknownPayloadType)))
    #expect(binder.resolve(packet(50, type: 112)) == .failure(.init(reason: .unknownPayloadType)))
  }

  @Test func anSSRCFloodIsBounded() {
    let binder = binder
    for ssrc in UInt32(100)..<1100 { _ = binder.resolve(packet(ssrc, mid: "0", rid: "q")) }
    #expect(binder.resolve(packet(9999, mid: "0", rid: "q")) == .failure(.init(reason: .unknownSSRC)))
    #expect((try? binder.resolve(packet(50, type: 111)).get()) != nil)
  }
}
