import Signalling
import Testing

@Suite struct JanusAddressTests {
  @Test(
    arguments: [
      ("janus://host/?room=1234", "ws://host:8188/", "1234"),
      ("janus://192.0.2.2:9000?room=1", "ws://192.0.2.2:9000/", "1"),
      ("januss://host/path/?x=y&room=blue%20room#frag", "wss://host:8989/path", "blue room"),
      ("JANUS://[::1]/", "ws://[::1]:8188/", nil), ("janus://[::1]:80/?room=", "ws://[::1]:80/", nil),
    ] as [(String, String, String?)])
  func serverAndRoomAreRead(text: String, url: String, room: String?) throws {
    let address = try JanusAddress(text)
    #expect(address.socketURL == url)
    #expect(address.room == room)
  }

  @Test(arguments: ["pin", "token", "secret", "apisecret", "PIN"])
  func secretsDoNotBelongThere(name: String) {
    #expect(throws: AddressError.secretInQuery(name)) { try JanusAddress("janus://host/?room=1&\(name)=x") }
  }

  @Test func otherSchemesAreRefused() {
    #expect(throws: AddressError.unsupportedScheme("ws")) { try JanusAddress("ws://host/?room=1") }
    #expect(throws: AddressError.malformed) { try JanusAddress("janus://") }
  }
}
