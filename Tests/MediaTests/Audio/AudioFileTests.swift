import Foundation
import Testing

@testable import Media

private func temporaryFile(_ bytes: [UInt8]) throws -> String {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("confab-\(UUID().uuidString)")
  try Data(bytes).write(to: url)
  return url.path
}

private func little(_ value: Int, _ size: Int) -> [UInt8] {
  (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

private func wav(tag: Int = 1, channels: Int = 1, rate: Int = 48_000, bits: Int = 16, data: [UInt8]) -> [UInt8] {
  let format =
    little(tag, 2) + little(channels, 2) + little(rate, 4) + little(rate * channels * bits / 8, 4)
    + little(channels * bits / 8, 2) + little(bits, 2)
  let body = Array("WAVEfmt ".utf8) + little(16, 4) + format + Array("data".utf8) + little(data.count, 4) + data
  return Array("RIFF".utf8) + little(body.count, 4) + body
}

private func failure(_ body: () throws(MediaError) -> Void) -> MediaError? {
  do throws(MediaError) { try body() } catch { return error }
  return nil
}

@Test(arguments: [
  (8, [UInt8(255)], 0x7F00), (16, [0x34, 0x12], 0x1234), (24, [0, 0x34, 0x12], 0x1234),
  (32, [0, 0, 0x34, 0x12], 0x1234),
])
func samplesOfEveryWidthAreRead(bits: Int, sample: [UInt8], expected: Int) throws {
  let parsed = try WAVSource.parse(wav(bits: bits, data: sample + sample), path: "x")
  #expect(parsed.samples == [Int16(expected), Int16(expected)])
}

@Test func channelsAreMixedToOne() throws {
  let parsed = try WAVSource.parse(wav(channels: 2, data: little(1_000, 2) + little(3_000, 2)), path: "x")
  #expect(parsed.samples == [2_000])
}

@Test func otherRatesAreConvertedTo48000() throws {
  let data = (0..<8_000).flatMap { little(Int(8_000 * sin(Double($0) * 2 * .pi * 200 / 8_000)), 2) }
  let path = try temporaryFile(wav(rate: 8_000, data: data))
  defer { try? FileManager.default.removeItem(atPath: path) }
  var source = try WAVSource(path: path)
  var samples: [Int16] = []
  while case .samples(let block) = try source.next() { samples += block }
  #expect((47_000...49_000).contains(samples.count))
  let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
  #expect((195...205).contains(crossings))
}

@Test func brokenWAVFilesAreNamed() throws {
  #expect(failure { () throws(MediaError) in _ = try WAVSource(path: "/nowhere.wav") }?.code == .missingFile)
  let folder = failure { () throws(MediaError) in _ = try WAVSource(path: "/") }
  #expect(folder?.code == .unreadableFile && folder?.message.contains("folder") == true)
  // It never ends.
  #expect(failure { () throws(MediaError) in _ = try WAVSource(path: "/dev/zero") }?.code == .unreadableFile)
  let good = wav(data: little(5, 2))
  for length in 0..<44 {
    #expect(
      failure { () throws(MediaError) in _ = try WAVSource.parse(Array(good[..<length]), path: "x") }?.code
        == .unreadableFile)
  }
  #expect(
    failure { () throws(MediaError) in _ = try WAVSource.parse(wav(tag: 7, data: [0, 0]), path: "x") }?.code
      == .unsupportedFormat)
  #expect(
    failure { () throws(MediaError) in _ = try WAVSource.parse(wav(channels: 0, data: [0, 0]), path: "x") }?.code
      == .unsupportedFormat)
}

// MARK: Ogg

/// One Ogg page with its checksum (RFC 3533 §6), each packet complete within it.
private func oggPage(_ packets: [[UInt8]], sequence: Int, flags: UInt8) -> [UInt8] {
  var lacing: [UInt8] = []
  for packet in packets {
    lacing += Array(repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
  }
  var page =
    Array("OggS".utf8) + [0, flags] + little(0, 8) + little(77, 4) + little(sequence, 4) + little(0, 4)
    + [UInt8(lacing.count)] + lacing + packets.flatMap { $0 }
  var checksum: UInt32 = 0
  for byte in page {
    checksum ^= UInt32(byte) << 24
    for _ in 0..<8 { checksum = checksum & 0x8000_0000 != 0 ? checksum << 1 ^ 0x04C1_1DB7 : checksum << 1 }
  }
  page.replaceSubrange(22..<26, with: little(Int(checksum), 4))
  return page
}

private func opusHead(family: UInt8 = 0) -> [UInt8] {
  Array("OpusHead".utf8) + [1, 2] + little(312, 2) + little(48_000, 4) + [0, 0, family]
}

private func oggFile(_ packets: [[UInt8]], family: UInt8 = 0) -> [UInt8] {
  oggPage([opusHead(family: family)], sequence: 0, flags: 2) + oggPage([Array("OpusTags".utf8)], sequence: 1, flags: 0)
    + oggPage(packets, sequence: 2, flags: 4)
}

@Test("RFC 7845: packets after head and tags are the sound, in order and unchanged")
func oggPackets() throws {
  let packets: [[UInt8]] = [[0xF8, 1, 2, 3], [0xF8] + Array(repeating: 9, count: 600), [0xF8, 7]]
  #expect(try OggOpusSource.packets(of: oggFile(packets), path: "x") == packets)
}

@Test func brokenOggFilesAreNamed() throws {
  let file = oggFile([[0xF8, 1]])
  #expect(
    failure { () throws(MediaError) in _ = try OggOpusSource.packets(of: Array("RIFF".utf8), path: "x") }?.code
      == .unsupportedFormat)
  #expect(
    failure { () throws(MediaError) in _ = try OggOpusSource.packets(of: oggFile([[0xF8]], family: 1), path: "x") }?
      .code == .unsupportedFormat)
  for length in stride(from: 0, to: file.count, by: 3) {
    _ = failure { () throws(MediaError) in _ = try OggOpusSource.packets(of: Array(file[..<length]), path: "x") }
  }
  var damaged = file
  damaged[60] ^= 0xFF
  _ = failure { () throws(MediaError) in _ = try OggOpusSource.packets(of: damaged, path: "x") }
}
