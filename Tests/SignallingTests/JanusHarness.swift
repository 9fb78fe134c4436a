import Conference
import RTCCore
import TestKit
import Testing

@testable import Signalling

/// A Janus session on virtual time with the server's part spoken by the test.
final class JanusHarness: SessionDriver<JanusSession> {
  static let local = LocalTransport(
    iceUfrag: "subU", icePassword: "subscriberpassword123456", fingerprint: Array(repeating: 0xAB, count: 32))
  static let publisher = LocalTransport(
    iceUfrag: "pubU", icePassword: "publisherpassword1234567", fingerprint: Array(repeating: 0xAB, count: 32))
  static let other = LocalTransport(
    iceUfrag: "newU", icePassword: "anotherpassword123456789", fingerprint: Array(repeating: 0xAB, count: 32))

  static let sessionID: Int64 = 9_007_199_254_740_991
  static let roomHandle: Int64 = 11
  static let subscriberHandle: Int64 = 22

  init(change: (inout JanusSession.Configuration) -> Void = { _ in }) {
    var configuration = JanusSession.Configuration(room: "1234", subscriber: Self.local, publisher: Self.publisher)
    change(&configuration)
    super.init(
      JanusSession(configuration: configuration, randomness: SeededGenerator(seed: 1), openedAt: .zero))
  }

  // MARK: Driving

  /// A message of the server.
  @discardableResult
  func deliver(_ text: String) -> [SignallingOutput] {
    session.receive(Array(text.utf8), at: now)
    return drain()
  }

  // MARK: The server's usual answers

  /// Answers a request of the core with an id.
  func succeed(_ request: JSONValue, id: Int64) -> [SignallingOutput] {
    deliver(#"{"janus":"success","transaction":"\#(request.transaction)","data":{"id":\#(id)}}"#)
  }

  /// Answers a request to the plugin by an event, after its acknowledgement or before.
  func answer(
    _ request: JSONValue, from handle: Int64, _ data: String, jsep: String? = nil, ackFirst: Bool = true
  ) -> [SignallingOutput] {
    let ack = #"{"janus":"ack","transaction":"\#(request.transaction)"}"#
    let event = Self.event(from: handle, data, jsep: jsep, transaction: request.transaction)
    return ackFirst ? deliver(ack) + deliver(event) : deliver(event) + deliver(ack)
  }

  /// Refuses a request to the plugin.
  func fail(_ request: JSONValue, from handle: Int64, code: Int, _ reason: String) -> [SignallingOutput] {
    answer(request, from: handle, #"{"videoroom":"event","error_code":\#(code),"error":"\#(reason)"}"#)
  }

  /// Something that the server says by itself.
  @discardableResult
  func event(from handle: Int64, _ data: String, jsep: String? = nil) -> [SignallingOutput] {
    deliver(Self.event(from: handle, data, jsep: jsep, transaction: nil))
  }

  private static func event(from handle: Int64, _ data: String, jsep: String?, transaction: String?) -> String {
    var message: [String: JSONValue] = [
      "janus": "event", "session_id": .integer(sessionID), "sender": .integer(handle),
    ]
    if let transaction { message["transaction"] = .text(transaction) }
    if let parsed = try? JSONValue(parsing: Array(data.utf8)) { message["plugindata"] = ["data": parsed] }
    if let jsep { message["jsep"] = ["type": "offer", "sdp": .text(jsep)] }
    return String(decoding: JSONValue.object(message).serialized(), as: UTF8.self)
  }

  /// A session that waits for the answer to its `join`, which is given too.
  static func atTheDoor(
    change: (inout JanusSession.Configuration) -> Void = { _ in }
  ) throws -> (JanusHarness, join: JSONValue) {
    let harness = JanusHarness(change: change)
    let create = try #require(harness.drain().messages.first)
    #expect(create["janus"] == "create")
    let attach = try #require(harness.succeed(create, id: sessionID).messages.first)
    #expect(attach["plugin"] == "janus.plugin.videoroom")
    let join = try #require(harness.succeed(attach, id: roomHandle).messages.first)
    #expect(join["body"]["request"] == "join")
    return (harness, join)
  }

  /// A session in a room; `publishers` as the server lists them.
  static func joined(
    publishers: String = "[]", change: (inout JanusSession.Configuration) -> Void = { _ in }
  ) throws -> (JanusHarness, [SignallingOutput]) {
    let (harness, join) = try atTheDoor(change: change)
    let outputs = harness.answer(join, from: roomHandle, Self.joined(publishers: publishers))
    return (harness, outputs)
  }

  static func joined(publishers: String, id: Int = 77) -> String {
    #"{"videoroom":"joined","room":1234,"description":"Demo","id":\#(id),"private_id":3141,"publishers":\#(publishers),"attendees":[]}"#
  }

  /// A session that receives ada's video, with the mid "0" of its own.
  static func watching(
    change: (inout JanusSession.Configuration) -> Void = { _ in }
  ) throws -> (JanusHarness, [SignallingOutput]) {
    let (harness, entered) = try joined(publishers: "[\(ada)]", change: change)
    var outputs = entered
    let attach = try #require(outputs.messages.last)
    outputs += harness.succeed(attach, id: subscriberHandle)
    let join = try #require(outputs.messages.last)
    outputs += harness.answer(
      join, from: subscriberHandle,
      #"{"videoroom":"attached","room":1234,"streams":[\#(stream("0", of: 42))]}"#, jsep: offer(["0"]))
    let start = try #require(outputs.messages.last { $0["body"]["request"] == "start" })
    outputs += harness.answer(start, from: subscriberHandle, #"{"videoroom":"event","started":"ok"}"#)
    outputs += harness.deliver(#"{"janus":"webrtcup","session_id":1,"sender":\#(subscriberHandle)}"#)
    return (harness, outputs)
  }

  // MARK: What servers say

  static let ada = publisher(42, "ada")

  static func publisher(_ id: Int, _ name: String, simulcast: Bool = true, codec: String = "vp8") -> String {
    #"{"id":\#(id),"display":"\#(name)","streams":[{"type":"video","mindex":0,"mid":"0","codec":"\#(codec)","simulcast":\#(simulcast)}]}"#
  }

  /// A stream of a subscription, as `attached` and `updated` list it.
  static func stream(_ mid: String, of feed: Int?) -> String {
    guard let feed else { return #"{"type":"video","active":false,"mindex":\#(mid),"mid":"\#(mid)"}"# }
    return
      #"{"type":"video","active":true,"mindex":\#(mid),"mid":"\#(mid)","feed_id":\#(feed),"feed_mid":"0","codec":"vp8"}"#
  }

  /// The server's offer; sections of `inactive` carry nothing.
  static func offer(_ mids: [String], inactive: Set<String> = [], ufrag: String = "srvU") -> String {
    var lines = [
      "v=0", "o=- 179 1 IN IP4 192.0.2.2", "s=VideoRoom 1234", "t=0 0", "a=group:BUNDLE \(mids.joined(separator: " "))",
      "a=ice-options:trickle", "a=fingerprint:sha-256 \(Array(repeating: "CD", count: 32).joined(separator: ":"))",
      "a=extmap-allow-mixed", "a=msid-semantic: WMS *",
    ]
    for mid in mids {
      lines += [
        "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 192.0.2.2",
        "a=\(inactive.contains(mid) ? "inactive" : "sendonly")",
        "a=mid:\(mid)", "a=rtcp-mux", "a=ice-ufrag:\(ufrag)", "a=ice-pwd:serverpassword1234567890", "a=setup:actpass",
        "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli", "a=rtpmap:97 rtx/90000",
        "a=fmtp:97 apt=96",
        "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid",
      ]
      if !inactive.contains(mid) {
        lines += ["a=msid:janus janus\(mid)", "a=ssrc:9\(mid) cname:janus"]
      }
      lines += ["a=candidate:1 1 udp 2015363327 192.0.2.2 20042 typ host", "a=end-of-candidates"]
    }
    return lines.map { $0 + "\r\n" }.joined()
  }
}

extension JSONValue {
  var transaction: String { self["transaction"].textValue ?? "none" }
}

extension [SignallingOutput] {
  /// Requests to Janus.
  var messages: [JSONValue] {
    compactMap { output in
      guard case .send(let bytes) = output else { return nil }
      return try? JSONValue(parsing: bytes)
    }
  }
  func request(_ name: String) -> JSONValue? { messages.last { $0["body"]["request"] == .text(name) } }
  var subscriptions: [[TrackID]] {
    media.compactMap { if case .receive(let tracks) = $0 { tracks.map(\.track) } else { nil } }
  }
  var refusal: ConferenceError.Code? {
    events.lazy.compactMap { if case .refused(let code, _) = $0 { code } else { nil } }.first
  }
  var hasReopened: Bool { contains(.reopen) }
}
