import RTCCore
import Testing

@Suite struct IPAddressTests {
  @Test(
    "RFC 5952 §4: the one text of an address",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
      ("2001:0DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
      ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("fe80::ffff:192.0.2.1", "fe80::ffff:c000:201"),
      ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:192.0.2.33", "1:2:3:4:5:6:c000:221"),
    ] as [(String, String)]) func text(input: String, output: String) throws
  {
    let address = try #require(IPAddress(input))
    #expect(address.description == output)
    #expect(IPAddress(output) == address)
    #expect(IPAddress(bytes: address.bytes) == address)
  }

  @Test(
    "text that is no address",
    arguments: [
      "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.+4", "1.2.3.0004", "a.b.c.d", "host.local", ":", ":::", "1:2",
      "1::2::3",
      "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8:9", "12345::", "::g", "fe80::1%eth0", "1:2:3:4:5:6:7:", "::1.2.3", "+1::",
      "-1::",
    ]) func refused(input: String)
  { #expect(IPAddress(input) == nil) }

  @Test("other numbers of bytes are no address") func byteCounts() {
    for count in 0..<20 where count != 4 && count != 16 {
      #expect(IPAddress(bytes: Array(repeating: 1, count: count)) == nil)
    }
  }

  @Test("an endpoint's text keeps address and port apart") func endpoint() {
    #expect(IPEndpoint(address: .v4(0x7F00_0001), port: 80).description == "127.0.0.1:80")
    #expect(IPEndpoint(address: .v6(high: 0, low: 1), port: 80).description == "[::1]:80")
  }
}
