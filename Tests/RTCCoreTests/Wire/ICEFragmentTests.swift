import RTCCore
import Testing

/// RFC 8840 §9, as WHIP and WHEP use it.
@Suite struct ICEFragmentTests {
  private static let trickle = """
    a=ice-options:trickle ice2
    a=group:BUNDLE 0 1
    m=audio 9 UDP/TLS/RTP/SAVPF 111
    a=mid:0
    a=ice-ufrag:EsAw
    a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
    a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1
    a=candidate:473322822 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 0
    a=end-of-candidates
    """

  @Test func theDraftsExampleIsRead() throws {
    let fragment = try ICEFragment(parsing: Self.trickle)
    #expect(fragment.credentials?.usernameFragment == "EsAw")
    #expect(fragment.credentials?.password == "P2uYro0UCOQ4zxjKXaWCBui1")
    #expect(fragment.options == ["trickle", "ice2"])
    #expect(fragment.bundleGroup == ["0", "1"])
    #expect(fragment.mid == "0")
    #expect(fragment.kind == .audio)
    #expect(fragment.candidates.map(\.port) == [61764, 9])
    #expect(fragment.hasAllCandidates)
    #expect(!fragment.isICELite)
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let fragment = try ICEFragment(parsing: Self.trickle)
    let text = fragment.serialized()
    #expect(text.hasSuffix("\r\n"))
    #expect(try ICEFragment(parsing: text) == fragment)
  }

  @Test func credentialsMayStandBeforeTheSectionAndBeRepeatedInEach() throws {
    let fragment = try ICEFragment(
      parsing:
        "a=ice-ufrag:abcd\r\na=ice-pwd:efgh\r\nm=video 9 X 0\r\na=ice-ufrag:other\r\na=ice-pwd:else\r\na=mid:v\r\n")
    #expect(fragment.credentials == ICECredentials(usernameFragment: "abcd", password: "efgh"))
    #expect(fragment.kind == .video)
    #expect(fragment.mid == "v")
  }

  @Test func aCandidateThatCannotBeReadIsLeftOut() throws {
    let fragment = try ICEFragment(parsing: "a=candidate:nonsense\na=candidate:1 1 udp 1 192.0.2.1 5 typ host")
    #expect(fragment.candidates.count == 1)
    #expect(fragment.credentials == nil)
  }

  @Test(arguments: [
    ("a=ice-ufrag:abcd", SDPError(.missing, "ice-pwd")), ("a=ice-pwd:abcd", SDPError(.missing, "ice-ufrag")),
    ("hello", SDPError(.malformed, "line", line: 1)), ("a=mid:0\na=\u{1}", SDPError(.malformed, "line", line: 2)),
    ("m=audio", SDPError(.malformed, "m=", line: 1)), ("a=ice-ufrag:a b", SDPError(.malformed, "ice-ufrag", line: 1)),
  ]) func whatIsNoFragmentIsRefused(text: String, error: SDPError) {
    #expect(throws: error) { try ICEFragment(parsing: text) }
  }

  @Test func anEndlessFragmentIsRefusedUnread() {
    let text = String(repeating: "a=end-of-candidates\n", count: 2000)
    #expect(throws: SDPError(.tooLarge, "fragment")) { try ICEFragment(parsing: text) }
  }
}
