import Conference
import RTCCore

/// Who is in the room and what they publish.
struct JanusRoster: Sendable {
  private struct Member {
    var name: String
    var streams: [JanusStream]
  }

  /// More than any room holds; a server that names more is not believed.
  private static let maximumMembers = 10_000

  /// Our own id, once we are in.
  private(set) var localID: JanusID?
  private var members: [JanusID: Member] = [:]
  /// In order of arrival.
  private var order: [JanusID] = []
  /// What was learned of the layers of each track, lowest first.
  private var sizes: [TrackID: [PictureSize?]] = [:]

  /// Pixels.
  struct PictureSize: Equatable, Sendable {
    var width: Int
    var height: Int
  }

  // MARK: Changes

  /// Takes the room over as it is when we come in.
  mutating func join(as id: JanusID, name: String, publishers: [JanusPublisher], others: [(JanusID, String)]) {
    localID = id
    let before = order
    members = [:]
    order = []
    add(id, Member(name: name, streams: []))
    for publisher in publishers { add(publisher.id, Member(name: publisher.name, streams: publisher.streams)) }
    for (other, name) in others where members[other] == nil { add(other, Member(name: name, streams: [])) }
    // Coming in again moves nobody who stayed.
    let places = Dictionary(before.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    let sorted = order.enumerated().sorted { left, right in
      (places[left.element] ?? before.count + left.offset) < (places[right.element] ?? before.count + right.offset)
    }
    order = [id] + sorted.map(\.element).filter { $0 != id }
  }

  /// Somebody publishes, or publishes something else now.
  mutating func update(_ publisher: JanusPublisher) -> ConferenceEvent? {
    guard publisher.id != localID else { return nil }
    let name = publisher.name.isEmpty ? members[publisher.id]?.name ?? "" : publisher.name
    return set(publisher.id, Member(name: name, streams: publisher.streams))
  }

  /// Somebody is there who publishes nothing, yet or any more.
  mutating func arrive(_ id: JanusID, name: String) -> ConferenceEvent? {
    guard members[id] == nil else { return nil }
    return set(id, Member(name: name, streams: []))
  }

  /// What we publish ourselves.
  mutating func setLocalStreams(_ streams: [JanusStream]) -> ConferenceEvent? {
    guard let id = localID, var member = members[id] else { return nil }
    member.streams = streams
    return set(id, member)
  }

  mutating func stopPublishing(_ id: JanusID) -> ConferenceEvent? {
    guard var member = members[id], id != localID else { return nil }
    member.streams = []
    return set(id, member)
  }

  mutating func rename(_ id: JanusID, to name: String) -> ConferenceEvent? {
    guard var member = members[id] else { return nil }
    member.name = name
    return set(id, member)
  }

  mutating func moderate(_ stream: JanusStreamID, isMuted: Bool) -> ConferenceEvent? {
    guard var member = members[stream.feed],
      let index = member.streams.firstIndex(where: { $0.mid == stream.mid })
    else { return nil }
    member.streams[index].isModerated = isMuted
    return set(stream.feed, member)
  }

  mutating func leave(_ id: JanusID) -> ConferenceEvent? {
    guard id != localID, members.removeValue(forKey: id) != nil else { return nil }
    order.removeAll { $0 == id }
    return .participantLeft(ParticipantIdentity(id.description))
  }

  /// What is known now of the sizes of a track's layers.
  mutating func setSizes(_ new: [PictureSize?], of stream: JanusStreamID) -> ConferenceEvent? {
    guard let member = members[stream.feed], sizes.updateValue(new, forKey: stream.track) != new else { return nil }
    return .participantUpdated(participant(stream.feed, member))
  }

  private mutating func add(_ id: JanusID, _ member: Member) {
    guard members.count < Self.maximumMembers || members[id] != nil else { return }
    if members.updateValue(member, forKey: id) == nil { order.append(id) }
  }

  private mutating func set(_ id: JanusID, _ member: Member) -> ConferenceEvent? {
    let before = members[id].map { participant(id, $0) }
    add(id, member)
    guard members[id] != nil else { return nil }
    let after = participant(id, member)
    return before == after ? nil : .participantUpdated(after)
  }

  // MARK: What is there

  /// Everybody, ourselves first.
  var participants: [Participant] { order.compactMap { id in members[id].map { participant(id, $0) } } }

  /// Every stream that can be received and shown or heard, in order of arrival.
  var decodableStreams: [JanusStreamID] {
    order.filter { $0 != localID }.flatMap { id in
      (members[id]?.streams ?? []).filter(\.isDecodable).map { JanusStreamID(feed: id, mid: $0.mid) }
    }
  }

  func stream(_ id: JanusStreamID) -> JanusStream? { members[id.feed]?.streams.first { $0.mid == id.mid } }
  func contains(_ id: JanusID) -> Bool { members[id] != nil }
  func sizes(of stream: JanusStreamID) -> [PictureSize?] { sizes[stream.track] ?? [nil, nil, nil] }

  private func participant(_ id: JanusID, _ member: Member) -> Participant {
    let tracks = member.streams.map { track(JanusStreamID(feed: id, mid: $0.mid), $0) }
    return Participant(
      id: ParticipantIdentity(id.description), name: member.name, isLocal: id == localID, tracks: tracks)
  }

  private func track(_ id: JanusStreamID, _ stream: JanusStream) -> Track {
    let isScreen = ["screen", "desktop"].contains { stream.description.lowercased().contains($0) }
    let source: TrackSource =
      stream.kind == .video ? isScreen ? .screenShare : .camera : isScreen ? .screenShareAudio : .microphone
    var layers: [VideoLayer] = []
    let known = sizes(of: id)
    if stream.kind == .video {
      // The server tells neither size nor bit rate of a layer, only that there are three.
      layers =
        stream.hasSimulcast
        ? zip(LayerID.allCases, known).map { VideoLayer(id: $0, width: $1?.width ?? 0, height: $1?.height ?? 0) }
        : [VideoLayer(id: .high, width: 0, height: 0)]
    }
    let largest = stream.hasSimulcast ? known.compactMap(\.self).last : nil
    return Track(
      id: id.track, kind: stream.kind, source: source, name: stream.description, isMuted: stream.isModerated,
      width: largest?.width ?? 0, height: largest?.height ?? 0, layers: layers)
  }
}
