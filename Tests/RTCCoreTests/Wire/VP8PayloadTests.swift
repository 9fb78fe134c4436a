import RTCCore
import TestKit
import Testing

@Suite struct VP8PayloadTests {
  private func read(_ hexadecimal: String) throws -> (VP8PayloadDescriptor, length: Int) {
    var offset = 0
    let descriptor = try VP8PayloadDescriptor(parsing: WireFixture.bytes(hexadecimal), at: &offset)
    return (descriptor, offset)
  }

  @Test(
    "RFC 7741 §4.2: each field alone",
    arguments: [
      ("10", VP8PayloadDescriptor(isPartitionStart: true)), ("00", VP8PayloadDescriptor()),
      ("27", VP8PayloadDescriptor(isNonReference: true, partitionIndex: 7)),
      ("8080 7F", VP8PayloadDescriptor(pictureID: .init(127, isLong: false))),
      ("8080 FFFE", VP8PayloadDescriptor(pictureID: .init(0x7FFE))),
      ("8080 8001", VP8PayloadDescriptor(pictureID: .init(1))),
      ("8040 FF", VP8PayloadDescriptor(temporalBaseIndex: 255)),
      ("8020 A0", VP8PayloadDescriptor(temporalLayer: .init(id: 2, isSync: true))),
      ("8010 1F", VP8PayloadDescriptor(keyIndex: 31)),
      (
        "90F0 9234 05 65",
        VP8PayloadDescriptor(
          isPartitionStart: true, pictureID: .init(0x1234), temporalBaseIndex: 5,
          temporalLayer: .init(id: 1, isSync: true), keyIndex: 5)
      ),
    ] as [(String, VP8PayloadDescriptor)]) func fields(hexadecimal: String, descriptor: VP8PayloadDescriptor) throws
  {
    let (parsed, length) = try read(hexadecimal)
    #expect(parsed == descriptor)
    #expect(length == WireFixture.bytes(hexadecimal).count)
    #expect(descriptor.serialized() == WireFixture.bytes(hexadecimal))
  }

  @Test("reserved bits and an empty extension byte are passed over") func reservedBits() throws {
    #expect(try read("D80F") == (VP8PayloadDescriptor(isPartitionStart: true), 2))
  }

  @Test("every descriptor reads back and ends before its frame", arguments: UInt64(1)...50)
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func maybe<T>(_ value: T) -> T? { Bool.random(using: &generator) ? value : nil }
    let bits = UInt16(truncatingIfNeeded: generator.next())
    let descriptor = VP8PayloadDescriptor(
      isNonReference: Bool.random(using: &generator), isPartitionStart: Bool.random(using: &generator),
      partitionIndex: UInt8(truncatingIfNeeded: bits), pictureID: maybe(.init(bits, isLong: bits % 2 == 0)),
      temporalBaseIndex: maybe(UInt8(truncatingIfNeeded: bits >> 3)),
      temporalLayer: maybe(.init(id: UInt8(truncatingIfNeeded: bits >> 5), isSync: bits % 3 == 0)),
      keyIndex: maybe(UInt8(truncatingIfNeeded: bits >> 7)))
    let bytes = descriptor.serialized()
    var offset = 0
    #expect(try VP8PayloadDescriptor(parsing: bytes + [0xFF, 0xFF], at: &offset) == descriptor)
    #expect(offset == bytes.count)
    for length in bytes.indices {
      var offset = 0
      #expect(throws: WireError.truncated(at: length)) {
        try VP8PayloadDescriptor(parsing: Array(bytes[..<length]), at: &offset)
      }
    }
  }

  @Test("picture ids wrap in their own number of bits") func pictureIDWrap() {
    #expect(VP8PayloadDescriptor.PictureID(0x7FFF).advanced(by: 1) == .init(0))
    #expect(VP8PayloadDescriptor.PictureID(127, isLong: false).advanced(by: 1) == .init(0, isLong: false))
    #expect(VP8PayloadDescriptor.PictureID(0).advanced(by: -1) == .init(0x7FFF))
  }

  @Test(
    "RFC 7741 §4.3: where a key frame begins",
    arguments: [
      ("10 50", true), ("10 51", false), ("11 50", false), ("00 50", false), ("10", false), ("", false), ("90", false),
      ("9080 9234 50", true),
    ] as [(String, Bool)]) func keyFrameStart(hexadecimal: String, expected: Bool)
  {
    let payload = WireFixture.bytes(hexadecimal)
    var offset = 0
    let descriptor = try? VP8PayloadDescriptor(parsing: payload, at: &offset)
    #expect(descriptor?.startsKeyFrame(payload, at: offset) ?? false == expected)
  }

  @Test("RFC 6386 §9.1: head of a key frame, sizes below their scaling bits") func keyFrameHeader() throws {
    let header = try VP8FrameHeader(parsing: WireFixture.bytes("50 42 00 9D012A 8042 6881"))
    #expect(header.isKeyFrame && header.isShown)
    #expect(header.version == 0)
    #expect(header.firstPartitionSize == 0x4250 >> 5)
    #expect(header.size == VP8FrameHeader.Size(width: 640, height: 360))
  }

  @Test("RFC 6386 §9.1: head of an interframe, behind a descriptor") func interframeHeader() throws {
    let header = try VP8FrameHeader(parsing: WireFixture.bytes("10 61 00 00"), at: 1)
    #expect(!header.isKeyFrame && !header.isShown)
    #expect(header.firstPartitionSize == 3)
    #expect(header.size == nil)
  }

  @Test(
    "malformed frame heads",
    arguments: [
      ("", WireError.truncated(at: 0)), ("5042", .truncated(at: 2)), ("504200 9D012A 8002 68", .truncated(at: 8)),
      ("504200 9D012B 8002 6801", .invalid("start code")), ("504200 9D012A 0040 6801", .invalid("size")),
      ("1F0000", .invalid("version")),
    ] as [(String, WireError)]) func malformedHeader(hexadecimal: String, error: WireError)
  {
    #expect(throws: error) { try VP8FrameHeader(parsing: WireFixture.bytes(hexadecimal)) }
  }

  @Test("pieces of a frame fit, are even, and join to the frame", arguments: [1, 94, 95, 188, 189, 1000, 12_345])
  func packetize(size: Int) throws {
    var packetizer = VP8Packetizer(maximumPayloadSize: 100, pictureID: 0x7FFF, temporalBaseIndex: 255)
    var generator = SeededGenerator(seed: UInt64(size))
    for (pictureID, base) in [(UInt16(0x7FFF), UInt8(255)), (0, 0), (1, 1)] {
      let frame = WireFixture.randomBytes(size, &generator)
      let payloads = packetizer.packetize(frame)
      #expect(payloads.count == (size + 93) / 94)
      var joined: [UInt8] = []
      for (index, payload) in payloads.enumerated() {
        var offset = 0
        let descriptor = try VP8PayloadDescriptor(parsing: payload, at: &offset)
        #expect(offset == VP8Packetizer.descriptorLength)
        #expect(descriptor.isPartitionStart == (index == 0))
        #expect(descriptor.pictureID == .init(pictureID))
        #expect(descriptor.temporalBaseIndex == base)
        joined += payload[offset...]
      }
      #expect(joined == frame)
      let sizes = payloads.map(\.count)
      #expect((sizes.max() ?? 0) <= 100)
      #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
    }
  }

  @Test("a frame without bytes takes no picture id") func emptyFrame() throws {
    var packetizer = VP8Packetizer(maximumPayloadSize: 100, pictureID: 7)
    #expect(packetizer.packetize([]).isEmpty)
    var offset = 0
    let payload = try #require(packetizer.packetize([1]).first)
    #expect(try VP8PayloadDescriptor(parsing: payload, at: &offset).pictureID == .init(7))
  }

  @Test(
    "RFC 6716 §3.1 and §3.2: length of an Opus packet",
    arguments: [
      ("00", 480), ("08", 960), ("10", 1920), ("18", 2880), ("60", 480), ("68", 960), ("80", 120), ("98", 960),
      ("F8", 960),
      ("F9", 1920), ("FA", 1920), ("FB03", 2880), ("1B02", 5760), ("1B03", nil), ("FB00", nil), ("FB", nil), ("", nil),
    ] as [(String, Int?)]) func opusLength(hexadecimal: String, samples: Int?)
  {
    #expect(OpusPacket.sampleCount(WireFixture.bytes(hexadecimal)) == samples)
  }
}
