import Conference
import Testing

@Suite struct VisibleTextTests {
  static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"

  @Test(arguments: [
    ("ws://h:7880/path", "ws://h:7880/path"),
    ("ws://h/?access_token=secret", "ws://h/…"),
    ("ws://h/p;token=secret", "ws://h/p;token…"),
    ("ws://h#secret", "ws://h…"),
    ("ws://ada:secret@h:1/", "ws://…@h:1/"),
    ("ws://ada:secret/secret?secret@h:1/", "ws://…@h:1/"),
    ("ada:secret@h", "…@h"),
    ("nonsense access_token=secret", "nonsense…"),
    ("access_token=secret", "access_token…"),
    ("ws://h/\(token)/x", "ws://h/•••/x"),
    (token, "•••"),
    ("\u{1B}]0;x\u{7}", "]0;x"),
    ("", ""),
  ])
  func anAddressIsShownWithoutItsSecrets(typed: String, shown: String) {
    #expect(typed.visibleAddress == shown)
  }

  @Test func whatIsTooLongEndsInAnEllipsis() {
    let long = String(repeating: "a", count: 100_000)
    #expect(long.visibleLine == String(repeating: "a", count: 119) + "…")
    #expect(String(long.prefix(120)).visibleLine == long.prefix(120))
    #expect("ws://\(long)".visibleAddress.count == 120)
  }

  @Test func tokensAreMaskedWhereverTheyStand() {
    #expect(TokenTrace.masked("a \(Self.token), “\(Self.token)”.") == "a •••, “•••”.")
    #expect(TokenTrace.masked("The key eyJ is short.") == "The key eyJ is short.")
  }

  @Test func aPageIsToldFromWords() {
    #expect("\n <!DOCTYPE html>".isPage && "<html>".isPage)
    #expect(!"no <b>room</b>".isPage && !"".isPage)
  }

  @Test(arguments: [("No.", "No"), ("No", "No"), (".", ""), ("", "")])
  func aSentenceGoesOnWithoutItsStop(words: String, rest: String) {
    #expect(words.withoutStop == rest)
  }
}
