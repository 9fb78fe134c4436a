import RTCCore
import Testing

@testable import Transport

@NetworkActor
@Suite struct NetworkActorTests {
  @Test func timersFireAndNeverEarly() async {
    var fired: Set<Int> = []
    var earliest = Duration.seconds(1)
    let start = NetworkActor.now
    let timers = [30, 10, 20].map { delay in
      let timer = NetworkTimer {
        fired.insert(delay)
        earliest = min(earliest, NetworkActor.now - start - .milliseconds(delay))
      }
      timer.schedule(at: start + .milliseconds(delay))
      return timer
    }
    #expect(await eventually { fired.count == 3 })
    #expect(earliest >= .zero)
    withExtendedLifetime(timers) {}
  }

  @Test func aTimerSetAgainFiresOnceAtTheNewTime() async {
    var times: [MonotonicTime] = []
    let start = NetworkActor.now
    let timer = NetworkTimer { times.append(NetworkActor.now) }
    timer.schedule(at: start + .milliseconds(5))
    timer.schedule(at: start + .milliseconds(40))
    var isOver = false
    let reference = NetworkTimer { isOver = true }
    reference.schedule(at: start + .milliseconds(80))
    #expect(await eventually { isOver })
    #expect(times.count == 1)
    #expect(times.allSatisfy { $0 >= start + .milliseconds(40) })
    withExtendedLifetime((timer, reference)) {}
  }

  @Test func aTimerMaySetItselfAgain() async {
    var fired = 0
    var timer: NetworkTimer?
    timer = NetworkTimer {
      fired += 1
      if fired < 5 { timer?.schedule(at: NetworkActor.now) }
    }
    timer?.schedule(at: .zero)
    #expect(await eventually { fired == 5 })
    timer = nil
  }

  @Test func aCancelledOrReleasedTimerDoesNotFire() async {
    var fired = 0
    let cancelled = NetworkTimer { fired += 1 }
    cancelled.schedule(at: NetworkActor.now + .milliseconds(5))
    cancelled.cancel()
    var released: NetworkTimer? = NetworkTimer { fired += 1 }
    released?.schedule(at: NetworkActor.now + .milliseconds(5))
    released = nil
    var done = false
    let reference = NetworkTimer { done = true }
    reference.schedule(at: NetworkActor.now + .milliseconds(15))
    #expect(await eventually { done })
    #expect(fired == 0)
    withExtendedLifetime((cancelled, reference)) {}
  }

  @NetworkActor
  final class Counter {
    private(set) var value = 0
    func increment() { value += 1 }
  }

  @Test func jobsFromManyTasksRunOneAfterAnother() async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          for _ in 0..<20 { await counter.increment() }
        }
      }
    }
    #expect(counter.value == 1000)
    NetworkActor.shared.preconditionIsolated()
  }
}
