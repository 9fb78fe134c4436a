import Conference
import Testing

@testable import ConferenceClient

private let simulcast = Track(
  id: TrackID("T"), kind: .video,
  layers: [
    VideoLayer(id: .low, width: 160, height: 90), VideoLayer(id: .medium, width: 320, height: 180),
    VideoLayer(id: .high, width: 640, height: 360),
  ])

@Test(arguments: [(0, nil), (88, .low), (90, .low), (176, .medium), (352, .high), (720, .high)] as [(Int, LayerID?)])
func theLayerIsTheOneOfNearestHeight(height: Int, expected: LayerID?) {
  #expect(LayerNaming.layer(of: simulcast, height: height) == expected)
}

@Test func aSingleLayerOfUnknownSizeIsThatLayer() {
  let track = Track(id: TrackID("T"), kind: .video, layers: [VideoLayer(id: .high, width: 0, height: 0)])
  #expect(LayerNaming.layer(of: track, height: 240) == .high)
}

@Test(arguments: [(1_280, [320, 640, 1_280]), (640, [160, 320, 640]), (320, [320])])
func largePicturesAreSentInThreeLayers(width: Int, expected: [Int]) {
  let layers = LayerPlan.simulcast(width: width, height: width * 9 / 16, framesPerSecond: 15)
  #expect(layers.map(\.width) == expected)
  #expect(layers.allSatisfy { $0.width % 2 == 0 && $0.height % 2 == 0 && $0.bitrate >= 80_000 })
}

@Test func layersAreNamedFromTheBestDown() {
  #expect(LayerPlan.names(count: 1) == [.high])
  #expect(LayerPlan.names(count: 2) == [.medium, .high])
  #expect(LayerPlan.names(count: 3) == [.low, .medium, .high])
}
