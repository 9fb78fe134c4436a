import Screen
import TestKit
import Testing

@Suite struct InvitationTests {
  private let token = ConnectFixture.token

  @Test func addressAndTokenAreFoundInWhateverFormTheyCome() {
    let forms = [
      "wss://rooms.example?access_token=\(token)",
      "wss://rooms.example \(token)",
      "wss://rooms.example\r\n\(token)\r\n",
      #"{"serverUrl":"wss:\/\/rooms.example","participantToken":"\#(token)"}"#,
      "export LIVEKIT_URL=wss://rooms.example\nexport LIVEKIT_TOKEN='\(token)'",
      "confab join wss://rooms.example --token \(token)",
      "https://meet.example/custom?liveKitUrl=wss%3A%2F%2Frooms.example&token=\(token)",
      "Authorization: Bearer \(token), server: wss://rooms.example",
    ]
    for form in forms {
      let found = Invitation(form)
      #expect(found.address == "wss://rooms.example", "\(form)")
      #expect(found.token == token, "\(form)")
    }
  }

  @Test func whatTakesASecretOutOfALinkIsHiddenInArguments() {
    for name in ["access_token", "token", "jwt", "JWT", "Access_Token"] {
      for link in ["wss://h/rtc?\(name)=hush", "wss://h?room=1&\(name)=hush&x=2#y", "https://h/#\(name)=hush"] {
        var bytes = Array(link.utf8)
        for secret in Invitation.secrets(in: bytes) { for index in secret { bytes[index] = UInt8(ascii: "x") } }
        #expect(String(decoding: bytes, as: UTF8.self) == link.replacing("hush", with: "xxxx"))
      }
    }
    let bare = Array("--name=\(token)".utf8)
    #expect(Invitation.secrets(in: bare) == [7..<bare.count])
    for harmless in ["wss://h?room=token&tokens=5", "--layout", "", "é?=&", "a=b"] {
      #expect(Invitation.secrets(in: Array(harmless.utf8)) == [])
    }
  }

  @Test func otherParametersStayWithTheAddress() {
    let found = Invitation("wss://rooms.example/rtc?room=1&jwt=\(token)&x=2")
    #expect(found.address == "wss://rooms.example/rtc?room=1&x=2" && found.token == token)
    #expect(Invitation("wss://h?access_token=opaque").token == "opaque")
  }

  @Test func oneOfTheTwoIsFoundToo() {
    #expect(Invitation(token) == Invitation("  \(token)\n"))
    #expect(Invitation(token).token == token && Invitation(token).address == nil)
    #expect(Invitation("ws://127.0.0.1:7880").address == "ws://127.0.0.1:7880")
    #expect(Invitation("ws://127.0.0.1:7880").isWhole && !Invitation("see ws://h for more").isWhole)
  }

  @Test(arguments: ["", " ", "lab", "://", "ws://", "ey.ey.ey", "a.b.c", "javascript://x", "\u{1B}[200~", "eyJ..x"])
  func nothingIsFoundInOtherText(text: String) {
    let found = Invitation(text)
    #expect(found.address == nil && found.token == nil)
  }

  @Test(arguments: UInt64(1)...50) func anyTextIsRead(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "ws://", "%", "%2", "?", "&", "=", "token", "ey", ".", token, "\\/", "\"", " ", "é", "\u{0}", "#", "@",
    ]
    let text = (0..<40).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    let found = Invitation(text)
    #expect(found.address?.isEmpty != true)
  }
}

@Suite struct KnownRoomTests {
  private func address(_ text: String) -> String? { KnownRoom(address: text, name: "lab", joinedAt: 1)?.address }

  @Test func secretsAreCutOffTheAddress() {
    #expect(address("wss://ada:secret@rooms.example/x?access_token=abc&room=7#frag") == "wss://rooms.example/x?room=7")
    #expect(address("wss://rooms.example?token=abc") == "wss://rooms.example")
    #expect(address("wss://a@b@rooms.example") == "wss://rooms.example")
    #expect(address("wss://rooms.example#access_token=abc") == "wss://rooms.example")
  }

  @Test func anAddressThatMayHoldATokenIsNotRemembered() {
    #expect(address("wss://rooms.example/\(ConnectFixture.token)") == nil)
    #expect(address("wss://rooms.example?room=\(ConnectFixture.token)") == nil)
    #expect(KnownRoom(address: "ws://h", name: "x " + ConnectFixture.token, joinedAt: 1)?.name == "room")
  }

  @Test(arguments: [
    "", "lab", "://x", "ws://", "ws://a b", "ws://h\u{1B}[2J", "ws://" + String(repeating: "x", count: 600),
  ])
  func whatIsNoAddressIsNoRoom(text: String) { #expect(address(text) == nil) }

  @Test func theNewestIsFirstAndEachRoomIsThereOnce() {
    var rooms: [KnownRoom] = []
    for index in 0..<20 { rooms = rooms.adding(ConnectFixture.room("room \(index)", ago: 100)) }
    #expect(rooms.count == KnownRoom.limit && rooms[0].name == "room 19")
    rooms = rooms.adding(ConnectFixture.room("room 15"))
    #expect(rooms.count == KnownRoom.limit && rooms[0].name == "room 15")
    #expect(rooms.filter { $0.name == "room 15" }.count == 1)
  }
}
