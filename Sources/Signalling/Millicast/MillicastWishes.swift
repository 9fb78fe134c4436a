import Conference
import RTCCore

/// What a person or program wants of the stream's tracks. Outlives connections, and sources that go away and come back.
struct MillicastWishes: Sendable {
  /// Kinds that are received at all.
  let kinds: Set<MediaKind>
  /// Whether tracks are wanted that nobody has spoken of.
  private let wantsAll: Bool
  private var subscribed: [Millicast.TrackKey: Bool] = [:]
  private(set) var requests: [Millicast.TrackKey: LayerRequest] = [:]
  /// What the server would not give; asked for again only on a new wish or a new announcement.
  private var refused: Set<Millicast.TrackKey> = []

  init(kinds: Set<MediaKind>, wantsAll: Bool) {
    self.kinds = kinds
    self.wantsAll = wantsAll
  }

  func isSubscribed(_ key: Millicast.TrackKey) -> Bool { kinds.contains(key.kind) && subscribed[key] ?? wantsAll }

  /// Whether media of the track shall come now; a hidden tile stays subscribed.
  func isEnabled(_ key: Millicast.TrackKey) -> Bool {
    isSubscribed(key) && requests[key] != .off && !refused.contains(key)
  }

  mutating func setSubscribed(_ key: Millicast.TrackKey, _ value: Bool) {
    subscribed[key] = value
    refused.remove(key)
  }
  /// False when the last request was the same.
  mutating func request(_ request: LayerRequest, of key: Millicast.TrackKey) -> Bool {
    requests.updateValue(request, forKey: key) != request
  }
  mutating func refuse(_ key: Millicast.TrackKey) { refused.insert(key) }
  mutating func forgetRefusals(of source: Millicast.SourceKey) { refused = refused.filter { $0.source != source } }
}
