import Signalling
import Testing

@Suite struct LiveKitURLTests {
  static let query = "protocol=16&client_protocol=0&sdk=confab&version=1.0%2Bx&auto_subscribe=1&adaptive_stream=0"

  static var options: LiveKit.JoinOptions {
    var options = LiveKit.JoinOptions()
    options.version = "1.0+x"
    return options
  }

  @Test(arguments: [
    ("ws://127.0.0.1:7880", "ws://127.0.0.1:7880/rtc?"),
    ("livekit://host", "ws://host/rtc?"),
    ("livekits://host/", "wss://host/rtc?"),
    ("https://host:443/prefix/deep/", "wss://host:443/prefix/deep/rtc?"),
    ("http://[::1]:7880/a?room=secret#x", "ws://[::1]:7880/a/rtc?"),
    ("WSS://me:secret@Host", "wss://Host/rtc?"),
  ])
  func joinURLsKeepHostAndPrefixAndNothingSecret(base: String, expected: String) throws {
    let url = try LiveKit.joinURL(base: base, options: Self.options)
    #expect(url == expected + Self.query)
    #expect(!url.contains("secret"))
  }

  @Test(arguments: ["access_token", "token", "jwt", "Access_Token"])
  func aTokenInTheQueryIsRefused(name: String) {
    for base in ["ws://h?\(name)=secret", "wss://h/p?room=1&\(name)=secret"] {
      #expect(throws: AddressError.secretInQuery(name)) { try LiveKit.joinURL(base: base) }
      #expect(throws: AddressError.secretInQuery(name)) { try LiveKit.shownURL(base: base) }
    }
  }

  @Test func messagesShowNoSecret() throws {
    #expect(try LiveKit.shownURL(base: "WSS://me:secret@h:7880/p/?room=secret#secret") == "wss://h:7880/p")
  }

  @Test func theValidationURLIsPlainHTTP() throws {
    #expect(
      try LiveKit.validateURL(base: "livekits://h/p", options: Self.options) == "https://h/p/rtc/validate?" + Self.query
    )
    #expect(
      try LiveKit.validateURL(base: "ws://h", options: Self.options) == "http://h/rtc/validate?" + Self.query)
  }

  @Test func optionsAreWritten() throws {
    var options = LiveKit.JoinOptions()
    options.autoSubscribe = false
    options.adaptiveStream = true
    #expect(
      try LiveKit.joinURL(base: "ws://h", options: options).hasSuffix("version=&auto_subscribe=0&adaptive_stream=1"))
  }

  @Test(arguments: [
    ("", AddressError.malformed), ("host:7880", .malformed), ("://host", .malformed), ("ws://", .malformed),
    ("ws:///rtc", .malformed), ("ws://:7880", .malformed), ("ws://a b", .malformed), ("ws://a\r\nHost: b", .malformed),
    ("ftp://host", .unsupportedScheme("ftp")), ("janus://host", .unsupportedScheme("janus")),
  ])
  func otherTextsAreRefused(text: String, expected: AddressError) {
    #expect(throws: expected) { try LiveKit.joinURL(base: text) }
  }
}
