/// Who speaks when, who mutes, stops their video, leaves and comes back: a small drama, the same for the same seed.
///
/// Pure: told the time, drained of events. At most one person is away at a time, and at least two thirds of all (four
/// of six) are there with video at any moment.
public struct Conversation: Sendable {
  public enum Change: String, Hashable, Sendable {
    case speaks, fallsSilent, mutes, unmutes, stopsVideo, startsVideo, leaves, returns
  }

  public struct Event: Hashable, Sendable {
    public var time: Duration
    /// Index of the person, from 0.
    public var person: Int
    public var change: Change
  }

  public struct State: Hashable, Sendable {
    public var isPresent = true
    public var isSpeaking = false
    public var isMuted = false
    public var hasVideo = true

    /// Nothing out of the ordinary.
    fileprivate var isSettled: Bool { isPresent && !isSpeaking && !isMuted && hasVideo }
  }

  public private(set) var people: [State]
  private var random: UInt64
  /// In order of time; equal times in order of entry.
  private var planned: [Event] = []
  private var nextTurn: Duration
  private var nextHappening: Duration
  private var lastSpeaker: Int?

  /// - Parameters:
  ///   - count: how many people, 1…64; fewer than three never leave or stop their video.
  ///   - seed: the same one makes the same conversation.
  ///   - settling: time from the start in which nobody mutes, stops video or leaves.
  public init(people count: Int, seed: UInt64, settling: Duration = .seconds(20)) {
    people = Array(repeating: State(), count: max(1, min(count, 64)))
    random = seed
    nextTurn = .milliseconds(400)
    nextHappening = settling
  }

  /// Least number of people that are there with video.
  public var leastVideos: Int { (people.count * 2 + 2) / 3 }

  /// Everything that happens up to and including `time`, in order.
  public mutating func advance(to time: Duration) -> [Event] {
    var events: [Event] = []
    while true {
      let next = min(planned.first?.time ?? nextTurn, nextTurn, nextHappening)
      guard next <= time else { return events }
      if let event = planned.first, event.time == next {
        planned.removeFirst()
        if apply(event) { events.append(event) }
      } else if nextTurn == next {
        if let event = takeTurn(at: next) { events.append(event) }
      } else {
        if let event = letHappen(at: next) { events.append(event) }
      }
    }
  }

  /// False when it has no effect any more.
  private mutating func apply(_ event: Event) -> Bool {
    let before = people[event.person]
    var state = before
    switch event.change {
    case .speaks: state.isSpeaking = true
    case .fallsSilent: state.isSpeaking = false
    case .mutes: state.isMuted = true
    case .unmutes: state.isMuted = false
    case .stopsVideo: state.hasVideo = false
    case .startsVideo: state.hasVideo = true
    case .leaves: state = State(isPresent: false, isSpeaking: false, isMuted: false, hasVideo: false)
    case .returns: state = State()
    }
    people[event.person] = state
    return state != before
  }

  private mutating func plan(_ change: Change, of person: Int, at time: Duration) {
    let event = Event(time: time, person: person, change: change)
    let index = planned.firstIndex { $0.time > time } ?? planned.count
    planned.insert(event, at: index)
  }

  private mutating func takeTurn(at time: Duration) -> Event? {
    let able = people.indices.filter {
      people[$0].isPresent && !people[$0].isSpeaking && !people[$0].isMuted && ($0 != lastSpeaker || people.count == 1)
    }
    guard let speaker = pick(able) else {
      nextTurn = time + .seconds(1)
      return nil
    }
    let isInterjection = unit() < 0.18
    let length = isInterjection ? seconds(0.6, 1.3) : seconds(2.5, 8)
    // Mostly a pause before the next; now and then the next one cannot wait.
    let gap = unit() < 0.3 ? seconds(-0.6, -0.1) : seconds(0.2, 1.1)
    nextTurn = time + max(.milliseconds(300), length + gap)
    plan(.fallsSilent, of: speaker, at: time + length)
    lastSpeaker = speaker
    let event = Event(time: time, person: speaker, change: .speaks)
    _ = apply(event)
    return event
  }

  private mutating func letHappen(at time: Duration) -> Event? {
    nextHappening = time + seconds(6, 13)
    let settled = people.indices.filter { people[$0].isSettled }
    guard let person = pick(settled) else { return nil }
    let videos = people.count { $0.isPresent && $0.hasVideo }
    let maySpare = videos > leastVideos
    let voices = people.count { $0.isPresent && !$0.isMuted }
    let choice = unit()
    let change: Change
    if choice < 0.38, maySpare, people.allSatisfy(\.isPresent) {
      change = .leaves
      plan(.returns, of: person, at: time + seconds(6, 12))
    } else if choice < 0.68, maySpare {
      change = .stopsVideo
      plan(.startsVideo, of: person, at: time + seconds(6, 14))
    } else if voices > max(2, people.count / 2) {
      change = .mutes
      plan(.unmutes, of: person, at: time + seconds(6, 16))
    } else {
      return nil
    }
    let event = Event(time: time, person: person, change: change)
    _ = apply(event)
    return event
  }

  private mutating func pick(_ indices: [Int]) -> Int? {
    guard !indices.isEmpty else { return nil }
    return indices[min(indices.count - 1, Int(unit() * Double(indices.count)))]
  }

  private mutating func seconds(_ least: Double, _ most: Double) -> Duration {
    .milliseconds(Int64((least + (most - least) * unit()) * 1000))
  }

  /// 0…1 (SplitMix64).
  private mutating func unit() -> Double {
    random &+= 0x9e37_79b9_7f4a_7c15
    var bits = random
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
  }
}
