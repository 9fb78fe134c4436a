import Conference
import ConferenceClient
import Foundation
import RTCCore
import Screen
import Synchronization
import Terminal

/// Does for the connect screen what takes time: joins and leaves rooms, and remembers them.
///
/// Called from the terminal's thread, it answers at once; what comes of it is taken with ``take()`` after a wake-up.
final class Lobby: Sendable {
  enum News: Sendable {
    case joined(RoomWall)
    case failed(ConferenceError)
    /// A room was left; the failure that ended it, if it was not left on wish.
    case left(ConferenceError?)
    case rooms(RoomHistory.Content)
  }

  private struct State {
    var news: [News] = []
    /// The join that is on its way; what comes of others nobody waits for.
    var attempt = 0
    var joining: Task<Void, Never>?
    /// Everything that is not over yet, to be waited for at the end.
    var errands: [Int: Task<Void, Never>] = [:]
    var nextErrand = 0
  }

  let waker: TerminalWaker
  private let draft: JoinDraft
  private let options: JoinOptions
  private let history: RoomHistory
  private let state = Mutex(State())

  /// - Parameter options: of every join.
  init(draft: JoinDraft, options: JoinOptions, history: RoomHistory) throws(TerminalError) {
    waker = try TerminalWaker()
    self.draft = draft
    self.options = options
    self.history = history
  }

  func take() -> [News] {
    state.withLock { state in
      defer { state.news = [] }
      return state.news
    }
  }

  func join(_ request: ConnectRequest) {
    let attempt = state.withLock { state in
      state.attempt += 1
      return state.attempt
    }
    let task = start { [self] in
      do throws(ConferenceError) {
        let room = try await draft.join(request, options: options)
        let name = await room.snapshot.name
        guard await put(.joined(RoomWall(room)), of: attempt) else {
          await room.leave()
          return await room.flush()
        }
        if let content = history.add(name, at: request.address) { put(.rooms(content)) }
      } catch {
        put(.failed(error), of: attempt)
      }
    }
    state.withLock { $0.joining = task }
  }

  /// Gives up the join that is on its way. A room that let us in just before, which nobody has taken yet, is left.
  func cancel() {
    let (task, rooms) = state.withLock { state in
      state.attempt += 1
      defer { state.joining = nil }
      var rooms: [RoomWall] = []
      state.news.removeAll { news in
        switch news {
        case .joined(let room): rooms.append(room)
        case .failed: break
        case .left, .rooms: return false
        }
        return true
      }
      return (state.joining, rooms)
    }
    task?.cancel()
    for room in rooms {
      start {
        await room.leave()
        await room.flush()
      }
    }
  }

  func leave(_ visit: RoomVisit) { start { [self] in put(.left(await visit.end())) } }

  func forget(_ room: KnownRoom) { start { [self] in put(.rooms(history.remove(room))) } }

  /// Gives up what is on its way and waits until everything is closed.
  func close() async {
    cancel()
    for task in state.withLock({ Array($0.errands.values) }) { await task.value }
  }

  @discardableResult
  private func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    state.withLock { state in
      let errand = state.nextErrand
      state.nextErrand += 1
      let task = Task { [self] in
        await body()
        self.state.withLock { _ = $0.errands.removeValue(forKey: errand) }
      }
      state.errands[errand] = task
      return task
    }
  }

  private func put(_ news: News) {
    state.withLock { $0.news.append(news) }
    waker.wake()
  }

  /// False when nobody waits for this any more.
  @discardableResult
  private func put(_ news: News, of attempt: Int) -> Bool {
    let isWanted = state.withLock { state in
      guard state.attempt == attempt else { return false }
      state.joining = nil
      state.news.append(news)
      return true
    }
    if isWanted { waker.wake() }
    return isWanted
  }
}
