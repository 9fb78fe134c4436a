import Conference
import RTCCore

/// Something that happened, for the event line and its history.
public struct EventNote: Hashable, Sendable {
  /// What it is about, as far as its look goes.
  public enum Kind: Hashable, Sendable {
    case joined, left
    /// A track came, went, was muted or changed its layer.
    case track
    case connection
    /// Something that the person at the keys has set, or that they are told.
    case setting
  }

  public var text: SanitizedText
  /// When it happened last.
  public var at: MonotonicTime
  public var kind: Kind
  /// How often it happened in a row.
  public var count = 1
  /// Stands in the history only: too frequent or too small for the event line.
  public var isQuiet = false
  var topic: Topic?

  /// What a later event of the same topic says anew.
  enum Topic: Hashable, Sendable {
    /// nil: that of all together.
    case volume(ParticipantIdentity?)
    case layer(TrackID)
    /// Tracks that somebody sends.
    case arrivals(ParticipantIdentity)
    case arrangement, withoutVideo
  }

  /// The text, with how often it happened.
  var fullText: SanitizedText { count == 1 ? text : text + SanitizedText(" (\(count) times)") }
}

extension ScreenState {
  /// Events kept for the history; older ones are forgotten. Some minutes of a busy room.
  static let eventLimit = 400

  /// An event that repeats the one before it is counted there.
  mutating func note(_ text: SanitizedText, _ kind: EventNote.Kind = .setting, isQuiet: Bool = false) {
    if let last = events.indices.last, events[last].text == text, events[last].topic == nil {
      events[last].count += 1
      events[last].at = now
    } else {
      append(EventNote(text: text, at: now, kind: kind, isQuiet: isQuiet))
    }
  }

  /// Repeated events of one topic are one event: it tells the last.
  mutating func note(
    _ text: SanitizedText, _ kind: EventNote.Kind = .setting, about topic: EventNote.Topic, isQuiet: Bool = false
  ) {
    if events.last?.topic == topic { events.removeLast() }
    append(EventNote(text: text, at: now, kind: kind, isQuiet: isQuiet, topic: topic))
  }

  private mutating func append(_ event: EventNote) {
    events.append(event)
    if events.count > Self.eventLimit { events.removeFirst(events.count - Self.eventLimit) }
    // Who reads older ones keeps them before the eyes.
    if case .events(let offset) = overlay, offset > 0 {
      overlay = .events(offset: EventsPanel.clamped(offset + EventsPanel.height(of: event, in: self), of: self))
    }
  }

  /// When it happened: by the clock on the wall where the screen was told, else since the start.
  func timeText(of event: EventNote) -> String {
    guard let midnight else { return durationText(event.at - (joinedAt ?? event.at)) }
    let seconds = Int((event.at - midnight).components.seconds)
    return clockText(((seconds % 86_400) + 86_400) % 86_400)
  }
}

/// `14:03:09`.
func clockText(_ secondsOfDay: Int) -> String {
  func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
  return "\(two(secondsOfDay / 3600)):\(two(secondsOfDay / 60 % 60)):\(two(secondsOfDay % 60))"
}
