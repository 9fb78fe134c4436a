import Conference
import RTCCore
import Testing

@testable import Signalling

/// Server-sent events and layers, in the current spelling and the older one.
@Suite struct WHEPExtensionTests {
  private static func link(_ path: String, _ name: String, _ more: String = "") -> (String, String) {
    ("Link", "<\(path)>; rel=\"urn:ietf:params:whep:ext:core:\(name)\"\(more)")
  }
  private static let events = link(
    "/whep/cam1/9b2e/sse", "server-sent-events", " events=\"active,inactive,layers,foo\"")
  private static let layer = link("/whep/cam1/9b2e/layer", "layer")

  /// A session whose events are open; the id of their stream.
  private func opened(_ links: [(String, String)] = [events, layer]) throws -> (WHEPHarness, stream: Int) {
    let harness = try WHEPHarness()
    harness.establish([("ETag", "\"a1\"")] + links)
    _ = try harness.request("POST")
    harness.answer(201, [("Location", "/sse/77")])
    let get = try harness.request("GET")
    #expect(get.isStream)
    #expect(get.url == "https://live.example/sse/77")
    #expect(get["Accept"] == "text/event-stream")
    harness.tell(
      get.id, .answered(status: 200, headers: [HTTPExchangeField("Content-Type", "text/event-stream")], body: ""))
    return (harness, get.id)
  }

  private func emit(_ harness: WHEPHarness, _ stream: Int, _ name: String, _ data: String) {
    harness.tell(stream, .piece("event: \(name)\ndata: \(data)\n\n"))
  }

  private func video(_ harness: WHEPHarness) -> Track? {
    for case .participantUpdated(let participant) in harness.events.reversed() {
      return participant.tracks.first { $0.kind == .video }
    }
    return nil
  }

  @Test func onlyEventsThatTheServerHasAreSubscribedTo() throws {
    let harness = try WHEPHarness()
    harness.establish([Self.events])
    let post = try harness.request("POST")
    #expect(post.url == "https://live.example/whep/cam1/9b2e/sse")
    #expect(post["Content-Type"] == "application/json")
    #expect(post["Authorization"] == "Bearer t0k3n")
    #expect(post.body == "[\"active\",\"inactive\",\"layers\"]")
  }

  @Test func aServerThatRefusesSomeIsAskedForTheOldest() throws {
    let harness = try WHEPHarness()
    harness.establish([Self.link("/sse", "server-sent-events")])
    #expect(try harness.request("POST").body.contains("viewercount"))
    harness.answer(400)
    #expect(try harness.request("POST").body == "[\"active\",\"inactive\",\"layers\"]")
    harness.answer(400)
    #expect(harness.open.isEmpty)
  }

  @Test func activityIsTold() throws {
    let (harness, stream) = try opened()
    _ = harness.take()
    harness.tell(stream, .piece("event: inac"))
    harness.tell(stream, .piece("tive\r\ndata: {}\r\n\r\n:comment\n\nevent: active\ndata:{}\n\n"))
    #expect(
      harness.take() == [
        .activityChanged(WHEPOffer.audio, isActive: false), .activityChanged(WHEPOffer.video, isActive: false),
        .activityChanged(WHEPOffer.audio, isActive: true), .activityChanged(WHEPOffer.video, isActive: true),
      ])
  }

  @Test func layersOfTheDraftAreListedAndChosenByRid() throws {
    let (harness, stream) = try opened()
    emit(
      harness, stream, "layers",
      """
      {"0":[{"rid":"h","bitrate":1500000,"width":1280,"height":720},{"rid":"l","bitrate":90000,"width":320,"height":180},\
      {"rid":"m","temporalLayerId":1,"bitrate":480000,"width":640,"height":360},\
      {"rid":"m","temporalLayerId":0,"bitrate":240000,"width":640,"height":360}]}
      """)
    #expect(video(harness)?.layers.map(\.id) == [.low, .medium, .high])
    #expect(video(harness)?.layers.map(\.height) == [180, 360, 720])
    #expect(video(harness)?.width == 1280)
    harness.command(.requestLayer(WHEPOffer.video, .layer(.medium)))
    let post = try harness.request("POST")
    #expect(post.url == "https://live.example/whep/cam1/9b2e/layer")
    #expect(post.body == "{\"mediaId\":\"0\",\"rid\":\"m\"}")
    // The newest wish waits for the answer, those between are forgotten.
    harness.command(.requestLayer(WHEPOffer.video, .layer(.high)))
    harness.command(.requestLayer(WHEPOffer.video, .size(width: 320, height: 180)))
    #expect(harness.open.count == 1)
    harness.answer(200)
    #expect(try harness.request("POST").body == "{\"mediaId\":\"0\",\"rid\":\"l\"}")
    harness.answer(200)
    harness.command(.requestLayer(WHEPOffer.video, .size(width: 300, height: 170)))
    #expect(harness.open.isEmpty, "the server has been told that already")
  }

  @Test(arguments: [
    """
    {"medias":{"0":{"active":[{"id":"1","simulcastIdx":1,"bitrate":500000,"width":640,"height":360},\
    {"id":"0","simulcastIdx":0,"bitrate":90000,"width":320,"height":180}],"inactive":[{"id":"2"}],\
    "layers":[{"encodingId":"1","spatialLayerId":255,"temporalLayerId":0,"bitrate":500000}]}}}
    """,
    """
    {"0":{"active":[{"id":"1","bitrate":500000,"width":640,"height":360},{"id":"0","bitrate":90000,"width":320,"height":180}],\
    "inactive":[{"id":"2"}]}}
    """,
  ]) func layersOfTheOlderSpellingAreChosenByEncoding(data: String) throws {
    let (harness, stream) = try opened()
    emit(harness, stream, "layers", data)
    let track = try #require(video(harness))
    #expect(track.layers.count == 3)
    #expect(track.layers.filter(\.isActive).map(\.height) == [180, 360])
    harness.command(.requestLayer(WHEPOffer.video, .size(width: 320, height: 180)))
    #expect(try harness.request("POST").body == "{\"encodingId\":\"0\",\"mediaId\":\"0\"}")
  }

  @Test func layersWithoutNamesAreChosenByTheirNumber() throws {
    let (harness, stream) = try opened()
    emit(
      harness, stream, "layers",
      """
      {"0":[{"spatialLayerId":0,"bitrate":1,"width":320,"height":180},{"spatialLayerId":1,"bitrate":2,"width":640,"height":360}]}
      """)
    harness.command(.requestLayer(WHEPOffer.video, .layer(.low)))
    #expect(try harness.request("POST").body == "{\"mediaId\":\"0\",\"spatialLayerId\":0}")
  }

  @Test func aServerWithoutTheExtensionIsAskedForNoLayer() throws {
    let (harness, stream) = try opened([Self.events])
    emit(harness, stream, "layers", "{\"0\":[{\"rid\":\"a\",\"bitrate\":1},{\"rid\":\"b\",\"bitrate\":2}]}")
    harness.command(.requestLayer(WHEPOffer.video, .layer(.low)))
    #expect(harness.open.isEmpty)
  }

  @Test func reconnectGoesToTheNewAddressAndEndsTheOldSession() throws {
    let (harness, stream) = try opened()
    harness.mediaConnected()
    emit(harness, stream, "reconnect", "{\"url\":\"https://other.example/whep/cam1\"}")
    #expect(try harness.request("DELETE").url == "https://live.example/sse/77")
    harness.answer(200)
    #expect(try harness.request("DELETE").url == "https://live.example/whep/cam1/9b2e")
    harness.answer(200)
    harness.gather("")
    #expect(try harness.request("POST").url == "https://other.example/whep/cam1")
  }

  @Test func whatMakesNoSenseIsCountedAndHarmless() throws {
    let (harness, stream) = try opened()
    _ = harness.take()
    emit(harness, stream, "layers", "nonsense")
    emit(harness, stream, "layers", "[]")
    emit(harness, stream, "layers", "{\"0\":\"x\",\"-1\":[],\"99999999999\":[{}]}")
    emit(harness, stream, "reconnect", "{\"url\":\"http://open.example/\"}")
    emit(harness, stream, "viewercount", "{\"viewercount\":-1}")
    emit(harness, stream, "scte35", "/DAvAAA")
    emit(harness, stream, "layers", "{\"0\":[" + String(repeating: " ", count: 70_000) + "]}")
    #expect(harness.take().isEmpty)
    #expect(harness.session.drops[.malformed] == 4)
    #expect(!harness.isClosed)
  }

  @Test func aStreamOfEventsThatBreaksIsOpenedAgain() throws {
    let (harness, stream) = try opened()
    harness.tell(stream, .ended)
    #expect(harness.open.isEmpty)
    harness.run(for: .milliseconds(1_100))
    #expect(try harness.request("GET").url == "https://live.example/sse/77")
  }

  @Test func linksAreReadAsServersWriteThem() {
    let links = WebLink.list(
      "<https://a/sse>; rel=\"urn:ietf:params:whep:ext:core:server-sent-events\" events=\"active,layers\", "
        + "<turn:t>;rel=ice-server;username=\"a\\\"b\";credential=c; credential-type=\"password\",<x>")
    #expect(links.map(\.target) == ["https://a/sse", "turn:t", "x"])
    #expect(links[0].parameters["events"] == "active,layers")
    #expect(links[1].parameters["username"] == "a\"b")
    #expect(ICEServerInfo.list(links) == [ICEServerInfo(urls: ["turn:t"], username: "a\"b", credential: "c")])
  }

  @Test(arguments: [
    ("whep://h:8889/cam/whep", "http://h:8889/cam/whep", "cam"), ("wheps://h/whep/cam1", "https://h/whep/cam1", "cam1"),
    ("https://h/whep/lab?participant=ada#x", "https://h/whep/lab?participant=ada", "ada"),
    ("http://h:1985/rtc/v1/whep/?app=live&stream=s", "http://h:1985/rtc/v1/whep/?app=live&stream=s", "s"),
    ("https://u:p@h/abc%20d/webRTC/play", "https://h/abc%20d/webRTC/play", "abc d"), ("whep://h", "http://h/", "h"),
  ]) func addressesAreReadAsTheyAreTyped(text: String, url: String, name: String) throws {
    let address = try WHEPAddress(text)
    #expect(address.url == url)
    #expect(address.name == name)
  }

  @Test func tokensDoNotBelongIntoAddresses() {
    #expect(throws: AddressError.secretInQuery("access_token")) { try WHEPAddress("wheps://h/x?access_token=1") }
    #expect(throws: AddressError.unsupportedScheme("ws")) { try WHEPAddress("ws://h/x") }
  }
}
