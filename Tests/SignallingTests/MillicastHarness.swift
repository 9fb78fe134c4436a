import Conference
import RTCCore
import Signalling
import TestKit
import Testing

/// A viewer on virtual time with the director's and the server's parts spoken by the test.
final class MillicastHarness: SessionDriver<MillicastSession> {
  static let address = "millicast://acme/match1"
  static let local = LocalTransport(
    iceUfrag: "locU", icePassword: "localpassword12345678901", fingerprint: Array(repeating: 0xAB, count: 32))
  /// `{"millicast":{"streamName":"acme/match1-token"}}` between two other parts.
  static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJtaWxsaWNhc3QiOnsic3RyZWFtTmFtZSI6ImFjbWUvbWF0Y2gxLXRva2VuIn19.c2ln"

  init(
    _ address: String = MillicastHarness.address, token: String? = nil,
    change: (inout MillicastSession.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = MillicastSession.Configuration(address: try Millicast.Address(parsing: address), token: token)
    change(&configuration)
    super.init(
      MillicastSession(configuration: configuration, randomness: SeededGenerator(seed: 1), startedAt: .zero))
  }

  /// A viewer that was let in and whose media is connected, with its outputs taken.
  static func viewing(
    _ address: String = MillicastHarness.address, change: (inout MillicastSession.Configuration) -> Void = { _ in }
  ) throws -> MillicastHarness {
    let harness = try MillicastHarness(address, change: change)
    _ = try harness.enter(link: 1)
    return harness
  }

  /// The director and the server do what they must for one link.
  @discardableResult
  func enter(link: Int, answer: String = MillicastAnswer.text()) throws -> [SignallingOutput] {
    var outputs = direct(link)
    outputs += tell(link, .opened(Self.local))
    outputs += reply(link, transaction: 1, #"{"sdp":\#(quoted(answer)),"subscriberId":"s1"}"#)
    outputs += tell(link, .mediaConnected)
    return outputs
  }

  static func direction(ice: String = "[]") -> String {
    #"{"status":"success","data":{"urls":["wss://edge.example.net/ws/v2/sub/abcd"],"jwt":"\#(jwt)","iceServers":\#(ice)}}"#
  }

  // MARK: Inputs

  func tell(_ link: Int, _ event: LinkEvent) -> [SignallingOutput] {
    session.link(LinkID(link), did: event, at: now)
    return drain()
  }
  /// The director answers what was asked for a link.
  func direct(
    _ link: Int, _ status: Int = 200, _ body: String = MillicastHarness.direction()
  ) -> [SignallingOutput] {
    director(link, .answered(status: status, headers: [], body: body))
  }
  func director(_ link: Int, _ outcome: HTTPExchangeResponse.Outcome) -> [SignallingOutput] {
    session.exchange(HTTPExchangeResponse(id: link, outcome), at: now)
    return drain()
  }
  func say(_ link: Int, _ json: String) -> [SignallingOutput] { tell(link, .message(Array(json.utf8))) }
  func event(_ link: Int, _ name: String, _ data: String = "{}") -> [SignallingOutput] {
    say(link, #"{"type":"event","name":"\#(name)","data":\#(data)}"#)
  }
  func reply(_ link: Int, transaction: Int, _ data: String = "{}") -> [SignallingOutput] {
    say(link, #"{"type":"response","transId":\#(transaction),"data":\#(data)}"#)
  }
  func refuse(_ link: Int, transaction: Int, _ words: String) -> [SignallingOutput] {
    say(link, #"{"type":"error","transId":\#(transaction),"data":"\#(words)"}"#)
  }
  /// A source with a camera and a microphone begins; nil is the main one.
  func active(_ link: Int, _ source: String?, name: String = "active") -> [SignallingOutput] {
    let id = source.map { #""\#($0)""# } ?? "null"
    let tracks = #"[{"trackId":"v9","media":"video"},{"trackId":"a9","media":"audio"}]"#
    return event(link, name, #"{"streamId":"acme/match1","sourceId":\#(id),"tracks":\#(tracks)}"#)
  }
  func inactive(_ link: Int, _ source: String) -> [SignallingOutput] {
    event(link, "inactive", #"{"streamId":"acme/match1","sourceId":"\#(source)"}"#)
  }
  /// Three encodings on a mid.
  func layers(_ link: Int, mid: String, bitrate: Int = 1_800_000) -> [SignallingOutput] {
    event(
      link, "layers",
      #"""
      {"medias":{"\#(mid)":{"active":[
        {"id":"h","simulcastIdx":2,"bitrate":\#(bitrate),"width":1280,"height":720,"layers":[]},
        {"id":"m","simulcastIdx":1,"bitrate":500000,"width":640,"height":360,"layers":[]}],
        "inactive":[{"id":"l","simulcastIdx":0}],
        "layers":[{"encodingId":"l","spatialLayerId":255,"temporalLayerId":0,"targetWidth":320,"targetHeight":180}]}}}
      """#)
  }

  private func quoted(_ text: String) -> String { String(decoding: JSONValue.text(text).serialized(), as: UTF8.self) }
}

/// One command to the server.
struct SentCommand: Equatable {
  var link: Int
  var transaction: Int
  var name: String
  var data: JSONValue
}

extension [SignallingOutput] {
  func commands(_ link: Int = 1) -> [LinkCommand] {
    compactMap { output in
      guard case .link(let id, let command) = output, id == LinkID(link) else { return nil }
      return command
    }
  }
  var linksAsked: [Int] {
    compactMap { if case .ask(let request) = $0 { request.id } else { nil } }
  }
  var linksClosed: [Int] {
    compactMap { if case .link(let id, .close) = $0 { id.raw } else { nil } }
  }
  var sent: [SentCommand] {
    compactMap { output in
      guard case .link(let id, .send(let bytes)) = output, let json = try? JSONValue(parsing: bytes),
        json["type"] == "cmd", let transaction = json["transId"].integerValue, let name = json["name"].textValue
      else { return nil }
      return SentCommand(link: id.raw, transaction: Int(transaction), name: name, data: json["data"])
    }
  }
  /// The tracks that links receive now, with their mids.
  var receivedMids: [[String: String]] {
    compactMap { output in
      guard case .link(_, .media(.receive(let tracks))) = output else { return nil }
      return Dictionary(tracks.map { ($0.track.raw, $0.mid) }) { first, _ in first }
    }
  }
  var refusals: [(code: ConferenceError.Code, text: String)] {
    events.compactMap { if case .refused(let code, let text) = $0 { (code, text) } else { nil } }
  }
}

/// The server's answers, in the shape of an ICE-lite SFU.
enum MillicastAnswer {
  /// - Parameter codec: of the video section.
  static func text(codec: String = "VP8", setup: String = "passive", video: Bool = true, ufrag: String = "srvU")
    -> String
  {
    let fingerprint = Array(repeating: "EF", count: 32).joined(separator: ":")
    var lines = [
      "v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE \(video ? "0 1" : "0")", "a=ice-lite",
    ]
    func section(_ mid: Int, _ media: [String]) {
      lines += media
      lines += [
        "c=IN IP4 203.0.113.5", "a=mid:\(mid)", "a=sendonly", "a=rtcp-mux", "a=ice-ufrag:\(ufrag)",
        "a=ice-pwd:serverpassword12345678", "a=fingerprint:sha-256 \(fingerprint)", "a=setup:\(setup)",
        "a=candidate:1 1 udp 2130706431 203.0.113.5 5000 typ host", "a=end-of-candidates",
        "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid",
        "a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
        "a=extmap:9 urn:example:unknown",
      ]
    }
    if video {
      section(
        0,
        [
          "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "a=rtpmap:96 \(codec)/90000", "a=rtcp-fb:96 nack",
          "a=rtcp-fb:96 nack pli", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=ssrc-group:FID 70 71",
          "a=ssrc:70 cname:x", "a=ssrc:71 cname:x", "a=msid:main video",
        ])
    }
    section(video ? 1 : 0, ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=rtpmap:111 opus/48000/2"])
    return lines.map { $0 + "\r\n" }.joined()
  }
}
