import RTCCore
import Testing

@testable import Terminal

@Suite struct FrameReceiptsTests {
  func time(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

  @Test func atMostTwoAreUnanswered() {
    var receipts = FrameReceipts(isOn: true)
    for moment in 0..<5 {
      receipts.sent(100, asks: receipts.wantsRequest(at: time(moment)), at: time(moment))
    }
    #expect(receipts.count == 2)
    #expect(receipts.bytesUnderway == 500)
    let first = receipts.answered(at: time(30))
    #expect(first?.bytes == 100)
    #expect(first?.frameBegunAt == time(0))
    #expect(receipts.wantsRequest(at: time(60)))
  }

  @Test func bytesBetweenTwoRequestsBelongToTheSecond() {
    var receipts = FrameReceipts(isOn: true)
    receipts.sent(10, asks: true, at: time(0))
    receipts.sent(20, asks: false, at: time(5))
    receipts.sent(40, asks: true, at: time(9))
    _ = receipts.answered(at: time(10))
    let second = receipts.answered(at: time(20))
    #expect(second?.bytes == 60)
    #expect(second?.begunAt == time(5))
    #expect(second?.frameBytes == 40)
    #expect(receipts.roundTrip == .milliseconds(10))
    #expect(receipts.isClear)
  }

  @Test func aLongPathIsAskedTwiceInARoundTrip() {
    var receipts = FrameReceipts(isOn: true)
    receipts.sentBareRequest(at: time(0))
    _ = receipts.answered(at: time(200))
    #expect(receipts.roundTrip == .milliseconds(200))
    receipts.sent(100, asks: receipts.wantsRequest(at: time(300)), at: time(300))
    #expect(!receipts.wantsRequest(at: time(333)))
    #expect(receipts.wantsRequest(at: time(400)))
  }

  @Test func aTerminalThatNeverAnswersIsNotAskedForEver() {
    var receipts = FrameReceipts(isOn: true)
    for _ in 0..<FrameReceipts.refusals {
      #expect(receipts.isOn)
      receipts.sent(100, asks: receipts.wantsRequest(at: time(0)), at: time(0))
      #expect(receipts.expire(at: time(100)) == false)
      #expect(receipts.expire(at: time(60_000)) == true)
    }
    #expect(!receipts.isOn)
    receipts.turnOn()
    #expect(!receipts.isOn)
    #expect(!receipts.wantsRequest(at: time(0)))
  }

  @Test func aLateAnswerIsNotTakenForTheNextOne() {
    var receipts = FrameReceipts(isOn: true)
    receipts.sentBareRequest(at: time(0))
    _ = receipts.answered(at: time(10))
    receipts.sent(100, asks: true, at: time(20))
    #expect(receipts.expire(at: time(20_000)) == true)
    receipts.sent(100, asks: true, at: time(20_100))
    #expect(receipts.answered(at: time(20_110)) == nil, "it belongs to the one given up")
    #expect(receipts.answered(at: time(20_200))?.frameBegunAt == time(20_100))
    #expect(receipts.isOn)
  }

  @Test func answersThatNeverComeDoNotShiftTheOthersForEver() {
    var receipts = FrameReceipts(isOn: true)
    receipts.sentBareRequest(at: time(0))
    _ = receipts.answered(at: time(10))
    receipts.sent(100, asks: true, at: time(20))
    #expect(receipts.expire(at: time(20_000)) == true)
    // The answer to this one is taken for the lost one's, and it runs out itself.
    receipts.sent(100, asks: true, at: time(20_100))
    #expect(receipts.answered(at: time(20_110)) == nil)
    #expect(receipts.expire(at: time(40_000)) == true)
    receipts.sent(100, asks: true, at: time(40_100))
    #expect(receipts.answered(at: time(40_110)) != nil)
  }

  @Test func reportsThatNobodyAskedForAreNothing() {
    var receipts = FrameReceipts(isOn: false)
    receipts.sent(100, asks: false, at: time(0))
    #expect(receipts.answered(at: time(5)) == nil)
    #expect(receipts.roundTrip == nil)
  }

  @Test func whatWasSentBeforeTheFirstRequestDoesNotCountAsThePathsDelay() {
    var receipts = FrameReceipts(isOn: false)
    receipts.turnOn()
    #expect(!receipts.isClear)
    receipts.sent(100, asks: true, at: time(0))
    _ = receipts.answered(at: time(140))
    #expect(receipts.isClear)
    receipts.sentBareRequest(at: time(150))
    _ = receipts.answered(at: time(152))
    #expect(receipts.roundTrip == .milliseconds(2))
  }
}
