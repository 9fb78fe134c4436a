import RTCCore
import Testing

@Suite struct ICECandidateTests {
  @Test("RFC 8839 §5.1: a host candidate, however it is introduced", arguments: ["", "candidate:", "a=candidate:"])
  func host(prefix: String) throws {
    let candidate = try ICECandidate(parsing: prefix + "1 1 UDP 2130706431 192.0.2.1 5000 typ host")
    #expect(
      candidate
        == ICECandidate(foundation: "1", priority: 2_130_706_431, address: "192.0.2.1", port: 5000, kind: .host))
    #expect(candidate.attribute == "candidate:1 1 udp 2130706431 192.0.2.1 5000 typ host")
    #expect(candidate.ipAddress == .v4(0xC000_0201))
    #expect(!candidate.isMulticastDNS)
  }

  @Test(
    "what is read writes the same",
    arguments: [
      "candidate:842163049 1 udp 1677729535 198.51.100.7 46154 typ srflx raddr 192.0.2.1 rport 46154",
      "candidate:1467250027 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 0 ufrag EsAw network-id 1",
      "candidate:3 2 udp 41885439 2001:db8::1 3478 typ relay raddr 0.0.0.0 rport 0",
      "candidate:4 1 udp 1 192.0.2.1 1 typ prflx raddr 10.0.0.1 rport 65535", "candidate:+/ 256 udp 0 h 0 typ future",
    ]) func roundTrip(text: String) throws
  { #expect(try ICECandidate(parsing: text).attribute == text) }

  @Test("extension attributes are kept") func extensions() throws {
    let candidate = try ICECandidate(parsing: "candidate:1 1 tcp 1 192.0.2.1 9 typ host tcptype passive generation 0")
    #expect(candidate.tcpType == "passive")
    #expect(candidate.extensions == [.init(name: "generation", value: "0")])
  }

  @Test("a browser's name in place of an address is told from an address") func multicastDNS() throws {
    let candidate = try ICECandidate(
      parsing: "candidate:1 1 udp 2113937151 4bf5d2f8-8b4e-4f0c-b8a4-d5cfa1d7c1b7.local 5000 typ host")
    #expect(candidate.isMulticastDNS)
    #expect(candidate.ipAddress == nil)
  }

  @Test("RFC 8445 §5.1.2.1: priorities") func priority() {
    #expect(ICECandidate.priority(kind: .host) == 2_130_706_431)
    #expect(ICECandidate.priority(kind: .serverReflexive) == 1_694_498_815)
    #expect(ICECandidate.priority(kind: .relayed, localPreference: 0, component: 2) == 254)
  }

  @Test(
    "malformed candidates",
    arguments: [
      "", "candidate:", "1 1 udp 1 192.0.2.1 5000 typ", "1 1 udp 1 192.0.2.1 5000 host typ",
      "1 x udp 1 192.0.2.1 5000 typ host",
      "1 1 udp 4294967296 192.0.2.1 5000 typ host", "1 1 udp 1 192.0.2.1 65536 typ host",
      "1 0 udp 1 192.0.2.1 1 typ host",
      "1 257 udp 1 192.0.2.1 1 typ host", "1 1 udp 1 192.0.2.1 1 typ host generation",
      "1 1 udp -1 192.0.2.1 1 typ host",
      "1 1 udp 1 192.0.2.1 1 typ srflx raddr 1.2.3.4 rport x", "1 1 udp 1 192.0.2.1\r\na=evil 1 typ host",
      "1 1 udp 1 192.0.2.1\u{1B}[2J 1 typ host",
    ]) func malformed(text: String)
  {
    #expect(throws: SDPError(.malformed, "candidate")) { try ICECandidate(parsing: text) }
  }

  @Test("an endless candidate is refused unread") func tooLong() {
    let text = "1 1 udp 1 192.0.2.1 1 typ host" + String(repeating: " a b", count: 1000)
    #expect(throws: SDPError(.tooLarge, "candidate")) { try ICECandidate(parsing: text) }
  }
}
