import RTCCore
import Testing

@testable import Signalling

@Suite struct JanusListingTests {
  /// An inquiry with the server's part spoken by the test.
  private final class Inquiry {
    var listing = JanusListing(credentials: JanusCredentials(apiSecret: "s"), openedAt: .zero)

    func drain() -> [JanusListing.Output] {
      var outputs: [JanusListing.Output] = []
      while true {
        let output = listing.pollOutput()
        if case .wait = output { return outputs }
        outputs.append(output)
      }
    }

    func deliver(_ text: String) -> [JanusListing.Output] {
      listing.receive(Array(text.utf8), at: .zero)
      return drain()
    }

    func succeed(_ request: JSONValue, _ rest: String) -> [JanusListing.Output] {
      deliver(#"{"janus":"success","transaction":"\#(request.transaction)",\#(rest)}"#)
    }
  }

  private func requests(_ outputs: [JanusListing.Output]) -> [JSONValue] {
    outputs.compactMap { if case .send(let bytes) = $0 { try? JSONValue(parsing: bytes) } else { nil } }
  }

  private func started() throws -> (Inquiry, list: JSONValue) {
    let inquiry = Inquiry()
    let create = try #require(requests(inquiry.drain()).first)
    #expect(create["apisecret"] == "s")
    let attach = try #require(requests(inquiry.succeed(create, #""data":{"id":1}"#)).first)
    let list = try #require(requests(inquiry.succeed(attach, #""data":{"id":2}"#)).first)
    #expect(list["body"] == ["request": "list"])
    return (inquiry, list)
  }

  @Test func roomsAreListedWithTheirPeople() throws {
    let (listing, list) = try started()
    let questions = requests(
      listing.succeed(
        list,
        #""plugindata":{"data":{"videoroom":"success","list":[{"room":1234,"description":"Lab","pin_required":true,"max_publishers":3},{"room":"blue"},{"room":[]}]}}"#
      ))
    #expect(questions.map { $0["body"]["room"] } == [1234, "blue"])
    _ = listing.succeed(
      questions[0],
      #""plugindata":{"data":{"participants":[{"id":1,"display":"ada","publisher":true},{"id":2,"publisher":false},{}]}}"#
    )
    // Gone meanwhile.
    let outputs = listing.succeed(
      questions[1], #""plugindata":{"data":{"videoroom":"event","error_code":426,"error":"No such room"}}"#)
    #expect(requests(outputs).map { $0["janus"] } == ["destroy"])
    #expect(
      outputs.last
        == .finished([
          ListedRoom(
            id: "1234", title: "Lab", hasPin: true, publisherLimit: 3,
            people: [
              ListedRoom.Person(name: "ada", publishes: true), ListedRoom.Person(name: "2", publishes: false),
            ]), ListedRoom(id: "blue", title: "", hasPin: false, publisherLimit: nil, people: []),
        ]))
  }

  @Test func aServerWithoutRoomsHasNone() throws {
    let (listing, list) = try started()
    #expect(listing.succeed(list, #""plugindata":{"data":{"list":[]}}"#).last == .finished([]))
  }

  @Test func whatGoesWrongIsSaid() throws {
    let (silent, _) = try started()
    silent.listing.advance(to: .zero + .seconds(10))
    guard case .refused(.serverUnreachable, _) = silent.drain().last else {
      Issue.record("a silent server is not given up")
      return
    }
    let (closed, _) = try started()
    closed.listing.connectionClosed(at: .zero)
    guard case .refused(.serverUnreachable, _) = closed.drain().last else {
      Issue.record("a lost connection is not told")
      return
    }
    let (refused, list) = try started()
    let outputs = refused.deliver(
      #"{"janus":"error","transaction":"\#(list.transaction)","error":{"code":403,"reason":"no"}}"#)
    guard case .refused(.tokenNotAccepted, _) = outputs.last else {
      Issue.record("\(outputs)")
      return
    }
    let (stranger, _) = try started()
    guard case .refused(.notAConferenceServer, _) = stranger.deliver("hello").last else {
      Issue.record("a stranger is taken for Janus")
      return
    }
  }
}
