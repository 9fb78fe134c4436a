import RTCCore
import Signalling
import Testing
import Transport

@testable import RoomServer

/// Offers over HTTP, with only the lines that matter.
enum StreamOffers {
  struct Ends {
    var ufrag = "abcd"
    var password = "0123456789abcdefghijklmn"
    var fingerprint = Array(repeating: UInt8(10), count: 32)
  }

  static func sdp(_ sections: [String], bundled: Bool = true) -> String {
    let mids = sections.indices.map(String.init).joined(separator: " ")
    var text = "v=0\no=- 1 2 IN IP4 127.0.0.1\ns=-\nt=0 0\n"
    if bundled { text += "a=group:BUNDLE \(mids)\n" }
    for (index, section) in sections.enumerated() { text += section + "a=mid:\(index)\n" }
    return text
  }

  static func transport(_ ends: Ends) -> String {
    let print = ends.fingerprint.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return "c=IN IP4 0.0.0.0\na=ice-ufrag:\(ends.ufrag)\na=ice-pwd:\(ends.password)\n"
      + "a=fingerprint:sha-256 \(print.joined(separator: ":"))\na=setup:actpass\n"
  }

  static func video(_ direction: String, codec: String = "VP8", rids: [String] = [], _ ends: Ends = Ends()) -> String {
    var text = "m=video 9 UDP/TLS/RTP/SAVPF 96 97\n\(transport(ends))a=\(direction)\na=rtcp-mux\n"
    text += "a=rtpmap:96 \(codec)/90000\na=rtcp-fb:96 nack\na=rtcp-fb:96 nack pli\na=rtpmap:97 rtx/90000\n"
    text += "a=fmtp:97 apt=96\na=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid\n"
    text += "a=extmap:2 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id\n"
    for rid in rids { text += "a=rid:\(rid) send\n" }
    if !rids.isEmpty { text += "a=simulcast:send \(rids.joined(separator: ";"))\n" }
    return text
  }

  static func audio(_ direction: String, codec: String = "opus/48000/2", _ ends: Ends = Ends()) -> String {
    "m=audio 9 UDP/TLS/RTP/SAVPF 111\n\(transport(ends))a=\(direction)\na=rtcp-mux\na=rtpmap:111 \(codec)\n"
      + "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid\n"
  }
}

/// Sends one request to a server and gives what comes.
@NetworkActor func send(
  _ method: String, _ path: String, to server: RoomServer, token: String? = nil, type: String? = nil,
  match: String? = nil,
  _ body: String = ""
) async throws -> HTTPResponse {
  var headers: [(String, String)] = []
  if let token { headers.append(("Authorization", "Bearer \(token)")) }
  if let type { headers.append(("Content-Type", type)) }
  if let match { headers.append(("If-Match", match)) }
  return try await HTTPClient.send(
    method: method, url: "http://127.0.0.1:\(server.port)\(path)", headers: headers, body: Array(body.utf8),
    timeout: .seconds(5))
}

/// A WHIP publisher or a WHEP player without codecs: an offer over HTTP, one peer connection, RTP in the clear at both ends.
@NetworkActor final class StreamClient {
  private(set) var isConnected = false
  private(set) var packets: [SSRC: [RTPPacket]] = [:]
  private(set) var keyFrameRequests = 0
  private(set) var answer = SessionDescription(origin: .init(sessionID: "0"))
  private(set) var created = HTTPResponse(status: 0)
  let transport: MediaTransport
  private let server: RoomServer
  private let token: String

  /// Posts an offer of these sections, and connects when it is taken.
  init(
    _ server: RoomServer, _ path: String, token: String, _ sections: (StreamOffers.Ends) -> [String]
  ) async throws {
    self.server = server
    self.token = token
    let certificate = try DTLSCertificate()
    transport = try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true)
    transport.onStateChange = { [weak self] state in if case .connected = state { self?.isConnected = true } }
    transport.onRTP = { [weak self] bytes, _ in
      if let packet = try? RTPPacket(parsing: bytes) { self?.packets[packet.ssrc, default: []].append(packet) }
    }
    transport.onRTCP = { [weak self] bytes, _ in
      for case .pictureLossIndication in (try? RTCPPacket.parseCompound(bytes)) ?? [] { self?.keyFrameRequests += 1 }
    }
    let ends = StreamOffers.Ends(
      ufrag: transport.iceUfrag, password: transport.icePassword, fingerprint: certificate.fingerprint)
    created = try await send(
      "POST", path, to: server, token: token, type: "application/sdp", StreamOffers.sdp(sections(ends)))
    guard created.status == 201 else { return }
    answer = try SessionDescription(parsing: String(decoding: created.body, as: UTF8.self))
    let remote = try RemoteEnd(reading: answer)
    transport.gather()
    transport.connect(
      remoteUfrag: remote.credentials.usernameFragment, remotePassword: remote.credentials.password,
      remoteFingerprint: remote.fingerprint, role: .client,
      remoteCandidates: answer.media.flatMap(\.candidates).map(\.attribute))
    try await eventually("connected") { isConnected }
  }

  var session: String { created.headers["Location"] ?? "" }
  var entityTag: String { created.headers["ETag"] ?? "" }

  /// The packets of the answer's section of this number.
  func packets(of section: Int) -> [RTPPacket] { answer.media[section].sources.first.flatMap { packets[$0] } ?? [] }

  func patch(_ fragment: ICEFragment, match: String?) async throws -> HTTPResponse {
    try await send(
      "PATCH", session, to: server, token: token, type: ICEFragment.contentType, match: match, fragment.serialized())
  }
  func delete() async throws -> Int { try await send("DELETE", session, to: server, token: token).status }
}

/// Sends VP8 that says who sends it, as one layer or several.
@NetworkActor final class StreamCamera {
  private let client: StreamClient
  private let mark: UInt8
  private let rids: [String]
  private var sequence: UInt16 = 1000
  private var timestamp: UInt32 = 77

  init(_ client: StreamClient, mark: UInt8, rids: [String] = []) {
    self.client = client
    self.mark = mark
    self.rids = rids
  }

  /// One key frame of each layer: `mark` plus the layer's number stands after the payload's header.
  func send() {
    sequence &+= 1
    timestamp &+= 3000
    let head = VP8PayloadDescriptor(isPartitionStart: true, pictureID: .init(sequence & 0x7FFF)).serialized()
    for layer in 0..<max(1, rids.count) {
      var extensions: [RTPPacket.Extension] = [.init(id: 1, data: Array("0".utf8))]
      if !rids.isEmpty { extensions.append(.init(id: 2, data: Array(rids[layer].utf8))) }
      client.transport.sendRTP(
        RTPPacket(
          payloadType: 96, marker: true, sequenceNumber: SequenceNumber(sequence), timestamp: RTPTimestamp(timestamp),
          ssrc: SSRC(UInt32(mark) * 100 + UInt32(layer) + 1), extensions: extensions,
          payload: head + [0x10, mark + UInt8(layer)]
        ).serialized())
    }
  }
}

extension RTPPacket {
  /// What ``StreamCamera`` wrote.
  var mark: UInt8? { descriptor.map { payload[$0.serialized().count + 1] } }
}
