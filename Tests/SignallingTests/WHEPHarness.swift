import Conference
import RTCCore
import TestKit
import Testing

@testable import Signalling

/// A WHEP session on virtual time, whose server the test speaks for.
final class WHEPHarness {
  var session: WHEPSession
  private(set) var now = MonotonicTime.zero
  private(set) var wakeUp: MonotonicTime?
  /// Requests not answered yet, in order.
  private(set) var open: [HTTPExchangeRequest] = []
  private(set) var events: [ConferenceEvent] = []
  private(set) var media: [MediaCommand] = []
  private(set) var isClosed = false

  static let local = LocalTransport(
    iceUfrag: "ours", icePassword: "our-password-of-24-chars", fingerprint: Array(repeating: 0xAB, count: 32))
  static let renewed = LocalTransport(
    iceUfrag: "anew", icePassword: "new-password-of-24-chars", fingerprint: Array(repeating: 0xAB, count: 32))
  static let candidate = "candidate:1 1 udp 2122260223 192.0.2.10 50000 typ host"
  static let relayed = "candidate:2 1 udp 41819902 198.51.100.9 60000 typ relay raddr 192.0.2.10 rport 50000"

  init(
    _ url: String = "https://live.example/whep/cam1", token: String? = "t0k3n",
    change: (inout WHEPSession.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = WHEPSession.Configuration(address: try WHEPAddress(url), token: token, local: Self.local)
    change(&configuration)
    session = WHEPSession(configuration: configuration, randomness: SeededGenerator(seed: 1), openedAt: .zero)
    drain()
  }

  // MARK: Driving

  func drain() {
    while true {
      switch session.pollOutput() {
      case .ask(let request): open.append(request)
      case .event(let event): events.append(event)
      case .media(let command):
        media.append(command)
        // As the media path does it.
        switch command {
        case .renew(let role), .restart(let role): session.localTransport(Self.renewed, of: role, at: now)
        default: break
        }
      case .close: isClosed = true
      case .send, .reopen, .link: Issue.record("WHEP has no signalling connection")
      case .wait(let until):
        wakeUp = until
        return
      }
    }
  }

  /// The oldest request that is open; the test fails when it is not of this kind.
  func request(
    _ method: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPExchangeRequest {
    let request = try #require(open.first, "no request is open", sourceLocation: sourceLocation)
    #expect(request.method == method, sourceLocation: sourceLocation)
    return request
  }

  /// Answers the oldest open request.
  func answer(_ status: Int, _ headers: [(String, String)] = [], _ body: String = "") {
    guard !open.isEmpty else { Issue.record("nothing to answer"); return }
    tell(
      open[0].id,
      .answered(status: status, headers: headers.map { HTTPExchangeField($0.0, $0.1) }, body: body))
  }

  func fail(_ failure: LinkFailure) {
    guard !open.isEmpty else { Issue.record("nothing to fail"); return }
    tell(open[0].id, .failed(failure))
  }

  func tell(_ id: Int, _ outcome: HTTPExchangeResponse.Outcome) {
    open.removeAll { $0.id == id }
    session.exchange(HTTPExchangeResponse(id: id, outcome), at: now)
    drain()
  }

  func gather(_ candidates: String...) {
    for candidate in candidates { session.localCandidate(candidate, of: .subscriber, at: now) }
    drain()
  }

  func command(_ command: ConferenceCommand) {
    session.perform(command, at: now)
    drain()
  }

  /// Lets time pass as the driver does, from one wake-up to the next.
  func run(for duration: Duration) {
    let end = now + duration
    while let wakeUp, wakeUp <= end {
      now = max(now, wakeUp)
      session.advance(to: now)
      drain()
    }
    now = end
    session.advance(to: now)
    drain()
  }

  func mediaConnected() { session.mediaConnected(.subscriber, at: now) }
  func pathLost() -> Bool {
    defer { drain() }
    return session.pathLost(.subscriber, at: now)
  }
  func mediaFailed() -> Bool {
    defer { drain() }
    return session.mediaFailed(.subscriber, at: now)
  }
  func mediaClosed() {
    session.mediaClosed(.subscriber, at: now)
    drain()
  }

  // MARK: Shortcuts

  /// Goes on to the offer, which is then the open request.
  func offer() {
    answer(204)
    gather(Self.candidate, "")
  }

  /// Goes on until media can flow.
  func establish(_ more: [(String, String)] = [("ETag", "\"a1\"")], answer text: String = Answers.usual()) {
    offer()
    answer(201, [("Content-Type", "application/sdp"), ("Location", "/whep/cam1/9b2e")] + more, text)
  }

  func take() -> [ConferenceEvent] {
    defer { events = [] }
    return events
  }
  var refusal: (code: ConferenceError.Code, message: String)? {
    for case .refused(let code, let message) in events { return (code, message) }
    return nil
  }
  var connects: [RemoteTransport] { media.compactMap { if case .connect(_, let remote) = $0 { remote } else { nil } } }
  var received: [ReceivedTrack] {
    media.reversed().lazy.compactMap { if case .receive(let t) = $0 { t } else { nil } }.first ?? []
  }
}

extension HTTPExchangeRequest {
  subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// What servers answer.
enum Answers {
  static let candidate = "a=candidate:1 1 udp 2130706431 203.0.113.5 39132 typ host\r\n"

  static func head(_ mids: String = "0 1") -> String {
    "v=0\r\no=- 7 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE \(mids)\r\na=ice-lite\r\n"
  }

  static func transport(_ candidate: String = candidate) -> String {
    let print = Array(repeating: "CD", count: 32).joined(separator: ":")
    return "c=IN IP4 0.0.0.0\r\na=ice-ufrag:theirs\r\na=ice-pwd:their-password-of-24-chr\r\n"
      + "a=fingerprint:sha-256 \(print)\r\na=setup:passive\r\na=rtcp-mux\r\n" + candidate
  }

  static func video(
    _ codec: String = "VP8", port: Int = 9, direction: String = "sendonly", mid: String = "0",
    _ candidate: String = candidate
  ) -> String {
    "m=video \(port) UDP/TLS/RTP/SAVPF 96 97\r\n" + transport(candidate)
      + "a=mid:\(mid)\r\na=\(direction)\r\na=rtpmap:96 \(codec)/90000\r\na=rtcp-fb:96 nack\r\na=rtcp-fb:96 nack pli\r\n"
      + "a=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\na=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid\r\n"
      + "a=ssrc-group:FID 11 12\r\na=ssrc:11 cname:x\r\na=ssrc:12 cname:x\r\n"
  }

  static func audio(port: Int = 9, direction: String = "sendonly", mid: String = "1") -> String {
    "m=audio \(port) UDP/TLS/RTP/SAVPF 111\r\n" + transport("")
      + "a=mid:\(mid)\r\na=\(direction)\r\na=rtpmap:111 opus/48000/2\r\na=ssrc:21 cname:x\r\n"
  }

  static func usual() -> String { head() + video() + audio() }
}
