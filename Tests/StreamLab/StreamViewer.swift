import Media
import RTCCore
import Signalling
import Transport

/// One viewer of the service: its WebSocket, its media connection, and what is projected to it.
@NetworkActor
public final class StreamViewer {
  private let socket: WebSocketConnection
  private unowned let service: StreamService
  private var media: MediaTransport?
  private var midExtension: UInt8 = 0
  /// The mids that the main source is put onto.
  private var mainMids: [MediaKind: String] = [:]
  private(set) var projections: [String: Projection] = [:]
  private var pinned: String?
  private var excluded: [String] = []
  private(set) var isViewing = false
  private(set) var isClosed = false
  /// Names and data of the commands that came, in order.
  public private(set) var commands: [(name: String, data: JSONValue)] = []
  /// Retransmissions that were sent.
  public private(set) var repairs = 0
  private var delayed: NetworkTimer?

  init(_ socket: WebSocketConnection, service: StreamService) {
    self.socket = socket
    self.service = service
    socket.sendsText = true
    socket.onMessage = { [weak self] bytes in self?.receive(bytes) }
    socket.onClose = { [weak self] _, _ in self?.close() }
  }

  /// The mids on which media goes out now.
  public var projectedMids: Set<String> { Set(projections.keys) }
  var isConnected: Bool { media?.state == .connected }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    media?.close()
    projections = [:]
    socket.close(code: 1000, reason: "")
  }

  // MARK: Signalling

  private func send(_ json: JSONValue) { socket.send(json.serialized()) }

  func tell(_ name: String, _ data: JSONValue = [:]) {
    if isViewing { send(["type": "event", "name": .text(name), "data": data]) }
  }

  private func receive(_ bytes: [UInt8]) {
    guard let json = try? JSONValue(parsing: bytes), json["type"] == "cmd", let name = json["name"].textValue else {
      return
    }
    commands.append((name, json["data"]))
    let transaction = json["transId"]
    func answer(_ failure: String?) {
      if let failure {
        send(["type": "error", "transId": transaction, "data": .text(failure)])
      } else {
        send(["type": "response", "transId": transaction, "data": [:]])
      }
    }
    switch name {
    case "view": view(json["data"], transaction)
    case "project": answer(project(json["data"]))
    case "unproject":
      for mid in json["data"]["mediaIds"].elements.compactMap(\.textValue) { projections[mid] = nil }
      answer(nil)
    case "select":
      mainMids[.video].flatMap { projections[$0] }?.want(layer: layer(json["data"]["layer"]))
      answer(nil)
    default: answer("unknown command")
    }
  }

  private func view(_ data: JSONValue, _ transaction: JSONValue) {
    guard let sdp = data["sdp"].textValue, let offer = try? SessionDescription(parsing: sdp),
      let section = offer.transportSection, let credentials = offer.iceCredentials(for: section),
      let fingerprint = offer.fingerprints(for: section).first,
      let midExtension = section.extensionID(.mid)
    else { return send(["type": "error", "transId": transaction, "data": "bad offer"]) }
    pinned = data["pinnedSourceId"].textValue
    excluded = data["excludedSourceIds"].elements.compactMap(\.textValue)
    self.midExtension = midExtension
    for section in offer.media.reversed() {
      if let kind = section.kind.mediaKind { mainMids[kind] = section.mid }
    }
    let media = service.host.makeTransport(certificate: service.certificate)
    self.media = media
    media.onRTCP = { [weak self] bytes, now in self?.receiveControl(bytes, at: now) }
    media.connect(
      remoteUfrag: credentials.usernameFragment, remotePassword: credentials.password,
      remoteFingerprint: fingerprint.bytes, role: .server, remoteCandidates: [])
    let answer = Self.answer(to: offer, media: media, candidates: service.host.candidates)
    let finish: @NetworkActor () -> Void = { [weak self] in
      guard let self, !isClosed else { return }
      isViewing = true
      send([
        "type": "response", "transId": transaction,
        "data": ["sdp": .text(answer.serialized()), "subscriberId": "s1", "clusterId": "test"],
      ])
      for source in service.sources where !excluded.contains(source.id ?? "") { announce(source) }
    }
    guard let delay = service.answerDelay else { return finish() }
    delayed = NetworkTimer(finish)
    delayed?.schedule(at: NetworkActor.now + delay)
  }

  private static func answer(
    to offer: SessionDescription, media: MediaTransport, candidates: [String]
  ) -> SessionDescription {
    var answer = SessionDescription(origin: SessionDescription.Origin(sessionID: "1"))
    answer.isICELite = true
    answer.bundleGroups = offer.bundleGroups
    answer.media = offer.media.map { offered in
      var section = offered
      section.direction = .sendOnly
      section.extensionMaps = offered.extensionMaps.filter { $0.known == .mid }
      section.iceCredentials = ICECredentials(usernameFragment: media.iceUfrag, password: media.icePassword)
      section.fingerprints = [CertificateFingerprint(bytes: media.certificate.fingerprint)]
      section.setup = .passive
      section.candidates = candidates.compactMap { try? ICECandidate(parsing: $0) }
      section.hasAllCandidates = true
      return section
    }
    return answer
  }

  /// Tells of a source that publishes; the main or pinned one goes onto the first mids by itself.
  func announce(_ source: StreamSource) {
    guard isViewing, !excluded.contains(source.id ?? "") else { return }
    let tracks = source.kinds.map { kind -> JSONValue in
      ["trackId": .text("\(kind.rawValue)\(Int.random(in: 1...999))"), "media": .text(kind.rawValue)]
    }
    tell("active", ["streamId": "acme/match1", "sourceId": source.json, "tracks": .list(tracks)])
    guard source.id == pinned else { return }
    for (kind, mid) in mainMids where source.kinds.contains(kind) {
      put(source, kind, on: mid, layer: StreamSource.layers.count - 1)
    }
  }

  func withdraw(_ source: StreamSource) {
    for (mid, projection) in projections where projection.source === source { projections[mid] = nil }
    tell("inactive", ["streamId": "acme/match1", "sourceId": source.json])
  }

  private func project(_ data: JSONValue) -> String? {
    guard let source = service.sources.first(where: { $0.json == data["sourceId"] }) else { return "no such source" }
    for mapping in data["mapping"].elements {
      guard let mid = mapping["mediaId"].textValue,
        let kind = mapping["media"].textValue.flatMap(MediaKind.init(rawValue:)), source.kinds.contains(kind)
      else { return "no such track" }
      if service.refusesProjection { return "not allowed" }
      let layer = layer(mapping["layer"])
      if let known = projections[mid], known.source === source, known.kind == kind {
        known.want(layer: layer)
      } else {
        put(source, kind, on: mid, layer: layer)
      }
    }
    return nil
  }

  private func put(_ source: StreamSource, _ kind: MediaKind, on mid: String, layer: Int) {
    projections[mid] = Projection(source, kind, mid: mid, midExtension: midExtension, layer: layer)
  }

  /// The best layer when none is named.
  private func layer(_ json: JSONValue) -> Int {
    json["encodingId"].textValue.flatMap { StreamSource.encodingIDs.firstIndex(of: $0) }
      ?? StreamSource.layers.count - 1
  }

  /// The periodic report of layers, by mid.
  func tellLayers() {
    var medias: [String: JSONValue] = [:]
    for (mid, projection) in projections where projection.kind == .video {
      let active = zip(StreamSource.encodingIDs, StreamSource.layers).enumerated().reversed().map { index, pair in
        [
          "id": .text(pair.0), "simulcastIdx": .integer(Int64(index)),
          "bitrate": .integer(Int64(pair.1.bitrate + .random(in: 0...9_999))),
          "width": .integer(Int64(pair.1.width)), "height": .integer(Int64(pair.1.height)),
        ] as JSONValue
      }
      medias[mid] = ["active": .list(active), "inactive": [], "layers": []]
    }
    if !medias.isEmpty { tell("layers", ["medias": .object(medias)]) }
  }

  // MARK: Media

  func deliver(_ outputs: [SimulcastEncoder.Output], of source: StreamSource, at now: MonotonicTime) {
    for projection in projections.values where projection.source === source && projection.kind == .video {
      for output in outputs {
        let packets = projection.packets(of: output, lossInterval: service.lossInterval, at: now)
        for packet in packets { media?.sendRTP(packet.serialized()) }
      }
    }
  }
  func deliver(_ sound: [UInt8], of source: StreamSource, at now: MonotonicTime) {
    for projection in projections.values where projection.source === source && projection.kind == .audio {
      for packet in projection.packets(of: sound, at: now) { media?.sendRTP(packet.serialized()) }
    }
  }

  private func receiveControl(_ bytes: [UInt8], at now: MonotonicTime) {
    for packet in (try? RTCPPacket.parseCompound(bytes)) ?? [] {
      switch packet {
      case .pictureLossIndication(let request):
        projections.values.first { $0.ssrc == request.media }?.requestKeyFrame()
      case .nack(let nack):
        for repair in projections.values.first(where: { $0.ssrc == nack.media })?.retransmissions(for: nack, at: now)
          ?? []
        {
          repairs += 1
          media?.sendRTP(repair.serialized())
        }
      default: break
      }
    }
  }
}

extension StreamSource {
  nonisolated var json: JSONValue { id.map { .text($0) } ?? .null }
}
