import Conference
import RTCCore

/// Somebody who publishes, as `joined` and `publishers` describe them (fact sheet §4).
struct JanusPublisher: Equatable, Sendable {
  var id: JanusID
  var name: String
  var streams: [JanusStream]

  /// More than anybody publishes.
  private static let maximumStreams = 100

  init?(_ value: JSONValue) {
    guard let id = JanusID(value["id"]) else { return nil }
    self.id = id
    name = value["display"].textValue ?? ""
    streams = value["streams"].elements.prefix(Self.maximumStreams).compactMap(JanusStream.init)
  }
}

/// One stream that somebody publishes. Disabled streams, data channels and kinds that are not known are left out.
struct JanusStream: Equatable, Sendable {
  /// Unique among the publisher's.
  var mid: String
  var kind: MediaKind
  /// In lower case.
  var codec: String
  var description: String
  var hasSimulcast: Bool
  var isModerated: Bool

  init?(_ value: JSONValue) {
    guard let mid = value["mid"].textValue, !mid.isEmpty, mid.utf8.count <= 64,
      let kind = value["type"].textValue.flatMap(MediaKind.init(rawValue:)), value["disabled"].truthValue != true
    else { return nil }
    self.mid = mid
    self.kind = kind
    codec = (value["codec"].textValue ?? "").lowercased()
    description = value["description"].textValue ?? ""
    hasSimulcast = value["simulcast"].truthValue == true
    isModerated = value["moderated"].truthValue == true
  }

  /// A stream of our own.
  init(mid: String, kind: MediaKind, description: String, hasSimulcast: Bool, isMuted: Bool) {
    self.mid = mid
    self.kind = kind
    codec = kind == .audio ? "opus" : "vp8"
    self.description = description
    self.hasSimulcast = hasSimulcast
    isModerated = isMuted
  }

  /// Whether there is a decoder for it.
  var isDecodable: Bool { kind == .audio ? codec == "opus" : codec == "vp8" }
}

/// A stream of somebody.
struct JanusStreamID: Hashable, Sendable {
  var feed: JanusID
  var mid: String

  /// The name that the room model has for it.
  var track: TrackID { TrackID("\(feed)/\(mid)") }
}

/// One stream of our subscription, as `attached` and `updated` describe it (fact sheet §5).
struct JanusSubscribedStream: Equatable, Sendable {
  /// The subscription's own mid, by which layers are asked for.
  var mid: String
  /// Whose it is; nil when the section is not in use.
  var source: JanusStreamID?

  init?(_ value: JSONValue) {
    guard let mid = value["mid"].textValue else { return nil }
    self.mid = mid
    guard value["active"].truthValue != false, let feed = JanusID(value["feed_id"]),
      let feedMid = value["feed_mid"].textValue
    else { return }
    source = JanusStreamID(feed: feed, mid: feedMid)
  }
}
