import RTCCore

/// Which tracks a WHEP player gets on the sections that it offered, which never grow more.
///
/// A place is a video section, an audio section or one of each, and follows one source: somebody's camera and microphone, or
/// their screen. It stays with its source as long as there is anything to send of it, and only then takes the next that
/// nobody follows. So pictures do not jump, and sound belongs to its picture.
struct PlayerProgramme: Equatable, Sendable {
  /// Tracks that belong together.
  struct Source: Equatable, Sendable {
    /// The same when its owner comes back.
    var id: String
    var video: String?
    var audio: String?
  }

  private struct Place: Equatable {
    var hasVideo: Bool
    var hasAudio: Bool
    var source: Source?

    /// Whether anything of a source can be sent here.
    func fits(_ source: Source) -> Bool { hasVideo && source.video != nil || hasAudio && source.audio != nil }
  }

  private var places: [Place]

  init(videoSections: Int, audioSections: Int) {
    places = (0..<max(videoSections, audioSections)).map {
      Place(hasVideo: $0 < videoSections, hasAudio: $0 < audioSections)
    }
  }

  /// What each section of a kind carries now, by track.
  func tracks(_ kind: MediaKind) -> [String?] {
    switch kind {
    case .video: places.filter(\.hasVideo).map { $0.source?.video }
    case .audio: places.filter(\.hasAudio).map { $0.source?.audio }
    }
  }

  var isEmpty: Bool { places.allSatisfy { $0.source == nil } }

  /// Takes what there is now, the first to be shown first.
  mutating func update(_ sources: [Source]) {
    for index in places.indices {
      let current = sources.first { $0.id == places[index].source?.id }
      places[index].source = current.flatMap { places[index].fits($0) ? $0 : nil }
    }
    for index in places.indices where places[index].source == nil {
      let followed = Set(places.compactMap(\.source?.id))
      places[index].source = sources.first { !followed.contains($0.id) && places[index].fits($0) }
    }
  }
}
