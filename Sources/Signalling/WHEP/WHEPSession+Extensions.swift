import Conference
import RTCCore

/// Server-sent events and the choice of layers (draft-ietf-wish-whep-events, and their older spelling).
struct WHEPExtensions {
  /// What a server may tell that is of use here.
  static let wanted = ["active", "inactive", "layers", "reconnect", "viewercount"]
  static let eventsRelation = "server-sent-events"
  static let layerRelation = "layer"
  /// Pauses before the stream of events is opened again; then it is left alone.
  static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)]

  var layerURL: String?
  /// Where events were subscribed to.
  var streamURL: String?
  var reader = EventStream()
  var reopenAt: MonotonicTime?
  var reopened = 0
  var layers: WHEPLayers?
  /// What each section of the descriptions carries.
  var sections: [Int: MediaKind] = [:]
  /// What was last asked for, what the server was last told, and whether it has answered.
  var wish: LayerRequest?
  var told: JSONValue?
  var isChoosing = false

  /// `urn:ietf:params:whep:ext:core:…`; the name alone is enough, as servers have spelt what is before it in several ways.
  static func target(_ name: String, in links: [WebLink]) -> WebLink? {
    links.first { link in link.relations.contains { $0.hasPrefix("urn:") && $0.hasSuffix(":\(name)") } }
  }
}

extension WHEPSession {
  mutating func beginExtensions(_ links: [WebLink], sections: [Int: MediaKind], at now: MonotonicTime) {
    let wish = extensions.wish
    extensions = WHEPExtensions()
    extensions.sections = sections
    extensions.wish = wish
    guard let base = established?.url else { return }
    func url(_ link: WebLink?) -> String? {
      link.flatMap { WHEPAddress.resolve($0.target, against: base) }.flatMap { url in
        WHEPAddress.isSecured(url) || !WHEPAddress.isSecured(base) ? url : nil
      }
    }
    extensions.layerURL = url(WHEPExtensions.target(WHEPExtensions.layerRelation, in: links))
    let events = WHEPExtensions.target(WHEPExtensions.eventsRelation, in: links)
    guard let eventsURL = url(events) else { return }
    let offered = events?.parameters["events"]?.split(separator: ",").map { $0.filter { $0 != " " } }
    let wanted = WHEPExtensions.wanted.filter { offered?.contains($0) ?? true }
    if !wanted.isEmpty { subscribe(to: wanted, at: eventsURL) }
  }

  private mutating func subscribe(to events: [String], at url: String) {
    extensions.streamURL = url
    request(
      "POST", url, for: .subscribeEvents(events), headers: [HTTPExchangeField("Content-Type", "application/json")],
      body: String(decoding: JSONValue.list(events.map { .text($0) }).serialized(), as: UTF8.self))
  }

  mutating func eventsSubscribed(_ answer: HTTPAnswer, _ events: [String], at now: MonotonicTime) {
    guard phase == .established, let url = extensions.streamURL else { return }
    guard answer.isSuccess, let stream = answer["Location"].flatMap({ WHEPAddress.resolve($0, against: url) }) else {
      extensions.streamURL = nil
      // One event that the server does not know spoils all; these three are the oldest.
      let fewer = events.filter { ["active", "inactive", "layers"].contains($0) }
      if answer.status == 400, fewer.count < events.count, !fewer.isEmpty { subscribe(to: fewer, at: url) }
      return
    }
    extensions.streamURL = stream
    openEventStream()
  }

  private mutating func openEventStream() {
    guard let url = extensions.streamURL else { return }
    extensions.reader = EventStream()
    request(
      "GET", url, for: .eventStream, headers: [HTTPExchangeField("Accept", "text/event-stream")], isStream: true)
  }

  mutating func eventStreamOpened(_ answer: HTTPAnswer, request id: Int, at now: MonotonicTime) {
    guard !answer.isSuccess else { return }
    requests[id] = nil
    // 404 says that there is none any more.
    if answer.status >= 500 { eventStreamEnded(at: now) } else { extensions.streamURL = nil }
  }

  mutating func eventStreamEnded(at now: MonotonicTime) {
    guard phase == .established, extensions.streamURL != nil, extensions.reopened < WHEPExtensions.pauses.count else {
      return
    }
    extensions.reopenAt = now + WHEPExtensions.pauses[extensions.reopened]
    extensions.reopened += 1
  }

  mutating func advanceExtensions(to now: MonotonicTime) {
    guard let due = extensions.reopenAt, now >= due else { return }
    extensions.reopenAt = nil
    if phase == .established { openEventStream() }
  }

  mutating func receiveEvents(_ text: String, at now: MonotonicTime) {
    for event in extensions.reader.read(text) {
      // A stream that works may break off again.
      extensions.reopened = 0
      receive(event, at: now)
      guard phase == .established else { return }
    }
  }

  private mutating func receive(_ event: EventStream.Event, at now: MonotonicTime) {
    switch event.name {
    case "active", "inactive":
      for kind in Set(extensions.sections.values).sorted(by: { $0.rawValue < $1.rawValue }) {
        send(.event(.activityChanged(WHEPOffer.track(kind), isActive: event.name == "active")))
      }
    case "layers": if let value = json(event) { receiveLayers(value) }
    case "reconnect":
      guard let value = json(event) else { return }
      reconnect(to: value["url"].textValue, at: now)
    case "viewercount":
      if json(event)?["viewercount"].integer(in: 0...Int(Int32.max)) == nil { drops.count(.malformed) }
    // SCTE-35 is for advertisements; others are of later drafts.
    default: break
    }
  }

  private mutating func json(_ event: EventStream.Event) -> JSONValue? {
    guard let value = try? JSONValue(parsing: Array(event.data.utf8)) else {
      drops.count(.malformed)
      return nil
    }
    return value
  }

  /// The server wants us elsewhere: another session begins, and then this one ends.
  private mutating func reconnect(to url: String?, at now: MonotonicTime) {
    let next = url.flatMap { WHEPAddress.resolve($0, against: endpoint) }
    if url != nil, next == nil || WHEPAddress.isSecured(endpoint) && !WHEPAddress.isSecured(next ?? "") {
      return drops.count(.malformed)
    }
    beginAnew(at: now)
    if let next { endpoint = next }
  }

  // MARK: - Layers

  private mutating func receiveLayers(_ value: JSONValue) {
    guard let layers = WHEPLayers(value) else { return drops.count(.malformed) }
    guard layers != extensions.layers else { return }
    extensions.layers = layers
    guard let section = videoSection, let index = participant.tracks.firstIndex(where: { $0.kind == .video }) else {
      return
    }
    let named = WHEPLayers.named(layers.sections[section] ?? [])
    let track = participant.tracks[index]
    participant.tracks[index].layers = named.map {
      VideoLayer(
        id: $0.id, width: $0.layer.width, height: $0.layer.height, bitrate: $0.layer.bitrate,
        isActive: $0.layer.isActive)
    }
    participant.tracks[index].width = named.last?.layer.width ?? 0
    participant.tracks[index].height = named.last?.layer.height ?? 0
    if participant.tracks[index] != track { send(.event(.participantUpdated(participant))) }
    choose()
  }

  /// The section that carries the picture.
  private var videoSection: Int? { extensions.sections.filter { $0.value == .video }.keys.min() }

  mutating func requestLayer(_ request: LayerRequest, of track: TrackID) {
    guard track == WHEPOffer.video else { return }
    extensions.wish = request
    choose()
  }

  /// Tells the server the layer that is wished for, unless it knows. One request at a time; the newest wish wins.
  private mutating func choose() {
    guard phase == .established, let url = extensions.layerURL, !extensions.isChoosing, let wish = extensions.wish,
      let layers = extensions.layers, let section = videoSection,
      let layer = WHEPLayers.choice(wish, of: layers.sections[section] ?? [])
    else { return }
    let body = layers.selection(of: layer, section: section)
    guard body != extensions.told else { return }
    extensions.told = body
    extensions.isChoosing = true
    request(
      "POST", url, for: .chooseLayer, headers: [HTTPExchangeField("Content-Type", "application/json")],
      body: String(decoding: body.serialized(), as: UTF8.self), timeout: .seconds(5))
  }

  mutating func layerChosen(_ answer: HTTPAnswer?, at now: MonotonicTime) {
    extensions.isChoosing = false
    guard let answer, answer.isSuccess else {
      // A server that has no such thing is not asked again; one that failed is, with the next wish.
      if let answer, [404, 405, 501].contains(answer.status) { extensions.layerURL = nil }
      return
    }
    choose()
  }

  mutating func endEvents() {
    guard let url = extensions.streamURL, requests.values.contains(.eventStream) else { return }
    extensions.streamURL = nil
    extensions.reopenAt = nil
    request("DELETE", url, for: .delete, timeout: .seconds(2))
  }
}
