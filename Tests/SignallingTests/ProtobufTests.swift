import Signalling
import TestKit
import Testing

/// A message with a field of each kind, and itself inside.
private struct Sample: ProtobufMessage {
  var number: Int32 = 0
  var text = ""
  var level: Float = 0
  var flag = false
  var children: [Sample] = []
  var qualities: [LiveKit.VideoQuality] = []
  var map: [String: String] = [:]
  var long: UInt64 = 0
  var data: [UInt8] = []

  mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
    switch field {
    case 1: number = try reader.int32()
    case 2: text = try reader.string()
    case 3: level = try reader.float()
    case 4: flag = try reader.bool()
    case 5: children.append(try reader.message())
    case 6: try reader.appendEnumerations(to: &qualities)
    case 7: try reader.entry(into: &map)
    case 8: long = try reader.uint64()
    case 9: data = try reader.data()
    default: break
    }
  }
  func write(to writer: inout ProtobufWriter) {
    writer.write(1, number)
    writer.write(2, text)
    writer.write(3, level)
    writer.write(4, flag)
    writer.write(5, children)
    writer.write(6, qualities)
    writer.write(7, map)
    writer.write(8, long)
    writer.write(9, data)
  }

  static var full: Sample {
    var sample = Sample(number: -2, text: "Ä", level: 0.5, flag: true, long: .max, data: [0, 255])
    sample.children = [Sample(), Sample(number: 300)]
    sample.qualities = [.low, .high, .off]
    sample.map = ["b": "2", "a": ""]
    return sample
  }
}

@Suite struct ProtobufTests {
  @Test func everyKindOfFieldComesBack() throws {
    #expect(try Sample(parsing: Sample.full.serialized()) == .full)
  }

  @Test func zeroValuesTakeNoBytes() {
    #expect(Sample().serialized().isEmpty)
  }

  @Test func integersAreWrittenAsProtobufDefines() {
    #expect(Sample(number: 150).serialized() == [0x08, 0x96, 0x01])
    #expect(Sample(number: -1).serialized() == [0x08] + Array(repeating: 0xFF, count: 9) + [0x01])
    #expect(Sample(text: "testing").serialized() == [0x12, 0x07] + Array("testing".utf8))
  }

  @Test func repeatedEnumsAreReadPackedAndUnpacked() throws {
    #expect(try Sample(parsing: [0x32, 0x02, 0x00, 0x02, 0x30, 0x01]).qualities == [.low, .high, .medium])
  }

  @Test func anEnumValueOfANewerSchemaIsRecognisedAsSuch() throws {
    #expect(try Sample(parsing: [0x30, 0x63]).qualities == [.unrecognized])
  }

  @Test func unknownFieldsOfEveryWireTypeAreSkipped() throws {
    var bytes: [UInt8] = [0xA0, 0x06, 0x96, 0x01]  // field 100, varint
    bytes += [0xA1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8]  // fixed64
    bytes += [0xA2, 0x06, 2, 9, 9]  // delimited
    bytes += [0xA5, 0x06, 1, 2, 3, 4]  // fixed32
    #expect(try Sample(parsing: bytes + Sample.full.serialized() + bytes) == .full)
  }

  @Test(
    arguments: [
      ([0x08], ProtobufError.truncated(at: 1)),
      ([0x08, 0x80], .truncated(at: 2)),
      ([0x12, 0x03, 0x61, 0x62], .truncated(at: 2)),
      ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .truncated(at: 11)),
      ([0x1D, 0, 0, 0], .truncated(at: 1)),
      ([0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02], .varintTooLong(at: 1)),
      ([0x00, 0x00], .badFieldNumber(at: 0)),
      ([0x80, 0x80, 0x80, 0x80, 0x10, 0x00], .badFieldNumber(at: 0)),
      ([0x0B], .badWireType(3, at: 0)),
      ([0x0F], .badWireType(7, at: 0)),
      ([0x10, 0x01], .wrongWireType(field: 2)),
      ([0x12, 0x01, 0xFF], .notUTF8(field: 2)),
      // The inner message ends within its own field, though the outer one goes on.
      ([0x2A, 0x02, 0x12, 0x05, 0x61, 0x61, 0x61, 0x61, 0x61], .truncated(at: 4)),
    ] as [([UInt8], ProtobufError)])
  func malformedBytesAreNamed(bytes: [UInt8], expected: ProtobufError) {
    #expect(throws: expected) { try Sample(parsing: bytes) }
  }

  @Test func nestingAndNumbersAndSizeAreLimited() throws {
    var nested = Sample(text: "core")
    for _ in 0..<12 { nested = Sample(children: [nested]) }
    #expect(try Sample(parsing: nested.serialized()) == nested)
    #expect(throws: ProtobufError.tooLarge) { try Sample(parsing: Sample(children: [nested]).serialized()) }

    var limits = ProtobufReader.Limits()
    limits.messages = 3
    #expect(throws: Never.self) { try Sample(parsing: [0x2A, 0, 0x2A, 0, 0x2A, 0], limits: limits) }
    #expect(throws: ProtobufError.tooLarge) {
      try Sample(parsing: [0x2A, 0, 0x2A, 0, 0x2A, 0, 0x2A, 0], limits: limits)
    }

    limits.bytes = 4
    #expect(throws: ProtobufError.tooLarge) { try Sample(parsing: [8, 1, 8, 1, 8], limits: limits) }
  }

  @Test func everyPrefixIsReadOrRefusedButNeverTraps() {
    let bytes = Sample.full.serialized()
    var refused = 0
    for length in 0..<bytes.count {
      do { _ = try Sample(parsing: Array(bytes[..<length])) } catch { refused += 1 }
    }
    #expect(refused > bytes.count / 2)
  }

  @Test(arguments: UInt64(1)...4) func randomBytesNeverTrap(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if let sample = try? Sample(parsing: bytes) {
        accepted += 1
        // What was understood survives being written.
        if sample.level == sample.level { #expect((try? Sample(parsing: sample.serialized())) == sample) }
      }
      _ = try? LiveKit.SignalRequest(parsing: bytes)
      _ = try? LiveKit.SignalResponse(parsing: bytes)
    }
    #expect(accepted > 0)
  }
}
