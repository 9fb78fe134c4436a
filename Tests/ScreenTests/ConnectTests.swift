import RTCCore
import Screen
import TestKit
import Testing

@Suite struct ConnectReducerTests {
  private let token = ConnectFixture.token
  private let address = ConnectFixture.address

  private func request(_ address: String, token: String, room: String? = nil) -> [ConnectEffect] {
    [.connect(ConnectRequest(address: address, admission: .token(token), expectedRoom: room))]
  }

  @Test func typingAndEnterJoin() {
    var state = ConnectFixture.state()
    state.type(address)
    #expect(state.press(keys: .enter) == [] && state.focus == .field(.token))
    state.type("abc")
    #expect(state.press(keys: .enter) == request(address, token: "abc"))
    #expect(state.isJoining)
  }

  @Test func whatIsMissingIsAskedFor() {
    var state = ConnectFixture.state()
    #expect(state.press(keys: .enter) == [])
    #expect(state.notice?.kind == .failure && state.notice?.text.description.contains("URL") == true)
    state.type(address)
    #expect(state.press(keys: .enter, .enter) == [])
    #expect(state.notice?.text.description.contains("token") == true)
  }

  @Test func aRoomOfJanusNeedsNoToken() {
    let room = "janus://host:8188/?room=1234"
    var state = ConnectFixture.state()
    state.type(room)
    #expect(state.press(keys: .enter) == request(room, token: ""))
    var keyed = ConnectFixture.state(hasKey: true)
    keyed.type(room)
    #expect(
      keyed.press(keys: .enter)
        == [.connect(ConnectRequest(address: room, admission: .identity("", room: ""), expectedRoom: nil))])
  }

  @Test func keysGoRoundTheFields() {
    var state = ConnectFixture.state(rooms: ConnectFixture.rooms)
    var seen: [ConnectState.Focus] = []
    for _ in 0..<4 {
      state.press(keys: .tab)
      seen.append(state.focus)
    }
    #expect(seen == [.field(.token), .button, .room(0), .field(.address)])
    state.press(keys: .backTab)
    #expect(state.focus == .room(0))
    state.press(keys: .down, .down, .down, .down, .down)
    #expect(state.focus == .room(3))
    state.press(keys: .up, .up, .up, .up)
    #expect(state.focus == .button)
    state.press(keys: .up, .up, .up)
    #expect(state.focus == .field(.address))
  }

  @Test func aPasteKnowsWhereItBelongs() {
    var state = ConnectFixture.state()
    state.press(keys: .paste("  \(token)\n"))
    #expect(state[.token].text == token && state[.address].isEmpty && state.focus == .field(.address))
    state.press(keys: .tab, .paste(address))
    #expect(state[.address].text == address && state[.token].text == token && state.focus == .button)
    #expect(state.press(keys: .enter) == request(address, token: token))
  }

  @Test func aLinkWithATokenFillsBothAndShowsNeitherSecret() {
    var state = ConnectFixture.state()
    state.press(keys: .paste("\(address)?access_token=\(token)"))
    #expect(state[.address].text == address && state[.token].text == token)
    state = ConnectFixture.state()
    state.type("\(address)?access_token=\(token)")
    state.press(keys: .tab)
    state.type("x")
    #expect(state.press(keys: .enter) == request(address, token: token))
    #expect(state[.address].text == address)
  }

  @Test func aPastedTokenIsTakenWhereIdentitiesAreAskedFor() {
    var state = ConnectFixture.state(hasKey: true, address: address)
    #expect(state.fields == [.address, .room, .identity])
    state.press(keys: .paste(token))
    #expect(state.fields == [.address, .token] && state[.token].text == token)
  }

  @Test func aPasteIsTextWhateverIsInIt() {
    var state = ConnectFixture.state()
    #expect(state.press(keys: .paste("ws://h\u{1B}\u{3}\r\nq\u{1B}[A\t")) == [])
    #expect(state[.address].text == "ws://hq[A")
    #expect(state.focus == .field(.address) || state.focus == .field(.token))
  }

  @Test func withAKeyRoomAndIdentityAreAskedFor() {
    var state = ConnectFixture.state(hasKey: true, address: "ws://127.0.0.1:7880")
    #expect(state.focus == .field(.room))
    state.type("lab")
    state.press(keys: .enter)
    state.type("me")
    #expect(
      state.press(keys: .enter) == [
        .connect(
          ConnectRequest(address: "ws://127.0.0.1:7880", admission: .identity("me", room: "lab"), expectedRoom: nil))
      ])
  }

  @Test func aRoomOfTheListIsFilledInAndJoined() {
    var state = ConnectFixture.state(rooms: ConnectFixture.rooms)
    state.press(keys: .tab, .tab, .tab, .down)
    #expect(state.press(keys: .enter) == [])
    #expect(state[.address].text == "wss://rooms.example" && state.focus == .field(.token))
    state.type("abc")
    state.press(keys: .tab, .tab, .down)
    #expect(state.press(keys: .enter) == request("wss://rooms.example", token: "abc", room: "standup"))
  }

  @Test func aRoomIsForgotten() {
    var state = ConnectFixture.state(rooms: ConnectFixture.rooms)
    state.press(keys: .tab, .tab, .tab, .end)
    #expect(state.press(keys: .character("d")) == [.forget(ConnectFixture.rooms[3])])
    #expect(state.known.count == 3 && state.focus == .room(2))
    #expect(state.press(keys: .delete, .delete, .delete).count == 3)
    #expect(state.known.isEmpty && state.focus == .field(.address))
    state.type("d")
    #expect(state[.address].text == "d")
  }

  @Test func aJoinIsGivenUpWithEscape() {
    var state = ConnectFixture.state(address: address)
    state.type("abc")
    state.press(keys: .enter)
    #expect(state.press(keys: .character("x"), .enter, .tab, .paste("y")) == [])
    #expect(state[.token].text == "abc")
    #expect(state.press(keys: .escape) == [.cancel])
    #expect(state.phase == .editing && state[.token].text == "abc")
  }

  @Test func anErrorIsShownInPlaceAndTheFieldsStay() {
    var state = ConnectFixture.state(address: address)
    state.type("abc")
    state.press(keys: .enter)
    _ = reduce(&state, .back(ConnectNotice(.failure, "The token expired 3 minutes ago. Ask for a new one.")))
    #expect(state.phase == .editing && state[.address].text == address && state[.token].text == "abc")
    #expect(ConnectFixture.drawn(state).text.contains("The token expired 3 minutes ago."))
    state.type("d")
    #expect(state.notice != nil)
    state.press(keys: .enter)
    #expect(state.notice == nil)
  }

  @Test func quittingNeedsEscapeInAFieldAndTheLetterElsewhere() {
    var state = ConnectFixture.state(rooms: ConnectFixture.rooms)
    #expect(state.type("q") == [] && state[.address].text == "q")
    #expect(state.press(keys: .escape) == [.quit])
    #expect(state.press(keys: .control("c")) == [.quit])
    state.press(keys: .tab, .tab)
    #expect(state.type("q") == [.quit])
    state.press(keys: .down)
    #expect(state.type("q") == [.quit])
  }

  @Test func timeAloneRedrawsOnlyWhatItChanges() {
    var state = ConnectFixture.state(address: address)
    let before = state.revision
    _ = reduce(&state, .tick(.zero + .seconds(7), unixTime: ConnectFixture.today + 2))
    #expect(state.revision == before)
    _ = reduce(&state, .tick(.zero + .seconds(67), unixTime: ConnectFixture.today + 62))
    #expect(state.revision == before + 1)
    state.type("abc")
    state.press(keys: .enter)
    let joining = state.revision
    _ = reduce(&state, .tick(.zero + .seconds(68), unixTime: ConnectFixture.today + 62))
    #expect(state.revision == joining + 1)
    #expect(ConnectFixture.drawn(state).text.contains("0:01"))
  }

  @Test(arguments: [(40, 12), (80, 24), (200, 60)]) func theMouseReachesEverything(size: (Int, Int)) {
    var state = ConnectFixture.state(columns: size.0, rows: size.1, rooms: ConnectFixture.rooms)
    state.type("ws://h")
    let text = ConnectFixture.drawn(state).text.split(separator: "\n", omittingEmptySubsequences: false)
    func press(_ column: Int, _ row: Int, isDouble: Bool = false) -> [ConnectEffect] {
      state.press(keys: .mouse(MouseEvent(button: .left, column: column, row: row, isDouble: isDouble)))
    }
    func place(_ word: String) -> (Int, Int)? {
      for (row, line) in text.enumerated() {
        if let range = line.firstRange(of: word) {
          return (line.distance(from: line.startIndex, to: range.lowerBound), row)
        }
      }
      return nil
    }
    guard let token = place("paste it"), let address = place("ws://h"), let lab = place("lab"),
      let button = place("Connect")
    else { return #expect(Bool(false), "\(text.joined(separator: "\n"))") }
    _ = press(token.0, token.1)
    #expect(state.focus == .field(.token))
    _ = press(address.0 + 2, address.1)
    #expect(state.focus == .field(.address) && state[.address].cursor == 2)
    _ = press(lab.0, lab.1)
    #expect(state.focus == .room(0))
    _ = press(lab.0, lab.1, isDouble: true)
    #expect(state[.address].text == "ws://127.0.0.1:7880" && state.focus == .field(.token))
    state.type("abc")
    #expect(press(button.0, button.1) == request("ws://127.0.0.1:7880", token: "abc"))
  }

  @Test(arguments: UInt64(1)...40) func anyKeysInAnySizeAreDrawn(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var state = ConnectFixture.state(hasKey: seed % 3 == 0, rooms: Array(ConnectFixture.rooms.prefix(Int(seed % 5))))
    let keys: [Key] = [
      .tab, .backTab, .up, .down, .enter, .escape, .home, .end, .left, .pageDown, .character("d"), .character("漢"),
      .delete, .paste(ConnectFixture.token), .paste("ws://h"), .control("w"), .control("u"),
    ]
    for _ in 0..<200 {
      if Int.random(in: 0..<10, using: &generator) == 0 {
        _ = reduce(
          &state,
          .resize(columns: Int.random(in: 0...130, using: &generator), rows: Int.random(in: 0...50, using: &generator)))
      }
      let mouse = MouseEvent(
        button: [.left, .wheelDown, .wheelUp].randomElement(using: &generator) ?? .left,
        column: Int.random(in: 0...130, using: &generator), row: Int.random(in: 0...50, using: &generator),
        isDouble: Bool.random(using: &generator))
      _ = reduce(
        &state, .key(Bool.random(using: &generator) ? .mouse(mouse) : keys.randomElement(using: &generator) ?? .tab))
      if state.isJoining, Bool.random(using: &generator) { _ = reduce(&state, .back(nil)) }
      #expect(!ConnectFixture.drawn(state).text.contains("eyJ"))
    }
  }
}

@Suite struct ConnectDrawingTests {
  private static let sizes = [(40, 12), (80, 24), (120, 40)]

  private func check(_ state: ConnectState, _ name: String) throws {
    try expectGolden(ConnectFixture.drawn(state).text, "connect-\(name)-\(state.columns)x\(state.rows)")
  }

  @Test(arguments: sizes) func anEmptyScreen(size: (Int, Int)) throws {
    try check(ConnectFixture.state(columns: size.0, rows: size.1), "empty")
  }

  @Test(arguments: sizes) func aFailedJoinAboveTheRooms(size: (Int, Int)) throws {
    var state = ConnectFixture.state(
      columns: size.0, rows: size.1, address: ConnectFixture.address, rooms: ConnectFixture.rooms)
    state.press(keys: .paste(ConnectFixture.token), .enter)
    _ = reduce(
      &state,
      .back(
        ConnectNotice(
          .failure,
          "The token was signed with a key or secret that this server does not have. Ask for one made for it.")))
    state.press(keys: .down, .down)
    try check(state, "failed")
  }

  @Test(arguments: sizes) func joiningWithAKey(size: (Int, Int)) throws {
    var state = ConnectFixture.state(
      columns: size.0, rows: size.1, hasKey: true, address: "ws://127.0.0.1:7880", rooms: ConnectFixture.rooms)
    state.type("lab")
    state.press(keys: .tab)
    state.type("me")
    state.press(keys: .enter)
    _ = reduce(&state, .tick(.zero + .seconds(8), unixTime: ConnectFixture.today))
    try check(state, "joining")
  }

  @Test func aTokenIsNeverDrawn() {
    for size in Self.sizes {
      var state = ConnectFixture.state(columns: size.0, rows: size.1)
      // Typed into every field, as where the terminal does not mark what is pasted.
      for hasKey in [false, true] {
        state = ConnectFixture.state(columns: size.0, rows: size.1, hasKey: hasKey)
        for _ in 0..<3 {
          for character in ConnectFixture.token {
            state.type(String(character))
            #expect(!ConnectFixture.drawn(state).text.contains("iJIUzI1NiJ9"))
            #expect(!ConnectFixture.drawn(state).text.contains("c2lnbm"))
          }
          state.press(keys: .home)
          #expect(!ConnectFixture.drawn(state).text.contains("eyJhbGci"))
          state.press(keys: .tab)
        }
      }
      state = ConnectFixture.state(columns: size.0, rows: size.1)
      state.press(keys: .tab)
      state.type("short secret")
      #expect(!ConnectFixture.drawn(state).text.contains("short") && ConnectFixture.drawn(state).text.contains("••••"))
    }
  }

  @Test func theNameOfAFileIsShown() {
    var state = ConnectFixture.state(address: ConnectFixture.address)
    state.type("@~/my token")
    #expect(ConnectFixture.drawn(state).text.contains("@~/my token"))
    state.type(ConnectFixture.token)
    #expect(!ConnectFixture.drawn(state).text.contains("@"))
  }

  @Test func asciiOnly() {
    for size in Self.sizes {
      var state = ConnectFixture.state(columns: size.0, rows: size.1, rooms: ConnectFixture.rooms)
      state.type("ws://漢é")
      state.press(keys: .tab, .paste(ConnectFixture.token))
      _ = reduce(&state, .notice(ConnectNotice(.failure, "“x” is not a URL – really.")))
      for cell in ConnectFixture.drawn(state, signs: .ascii).cells { #expect(cell.glyph.isASCII, "\(cell.glyph)") }
    }
  }

  @Test func aSmallScreenSaysSoAndKeepsWhatWasTyped() {
    var state = ConnectFixture.state()
    state.type("ws://h")
    _ = reduce(&state, .resize(columns: 30, rows: 8))
    #expect(ConnectFixture.drawn(state).text.contains("too small"))
    _ = reduce(&state, .resize(columns: 40, rows: 12))
    #expect(ConnectFixture.drawn(state).text.contains("ws://h"))
  }

  @Test func aLongListScrollsWithTheSelection() {
    let rooms = (0..<12).map { ConnectFixture.room("room number \($0)") }
    var state = ConnectFixture.state(rooms: rooms)
    #expect(!ConnectFixture.drawn(state).text.contains("number 11"))
    state.press(keys: .tab, .tab, .tab, .end)
    #expect(
      ConnectFixture.drawn(state).text.contains("number 11") && !ConnectFixture.drawn(state).text.contains("number 0 "))
    state.press(keys: .home)
    #expect(ConnectFixture.drawn(state).text.contains("number 0 "))
  }
}
