/// How one packet's arrival is coded (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.1).
private enum PacketStatus: UInt16 {
  case notReceived = 0
  /// Arrived 0…255 ticks after the one before it.
  case smallDelta = 1
  /// Arrived −32 768…32 767 ticks after the one before it.
  case largeDelta = 2
}

extension TransportFeedback {
  /// Reads the packet behind its RTCP header.
  init(body: RawSpan) throws(WireError) {
    var offset = 0
    let sender = SSRC(try body.read(at: &offset))
    let media = SSRC(try body.read(at: &offset))
    let base: UInt16 = try body.read(at: &offset)
    let count = Int(try body.read(UInt16.self, at: &offset))
    let packed: UInt32 = try body.read(at: &offset)
    guard count > 0 else { throw .invalid("packet status count") }

    var statuses: [PacketStatus] = []
    while statuses.count < count {
      let chunk: UInt16 = try body.read(at: &offset)
      try Self.unpack(chunk, atMost: count - statuses.count, into: &statuses)
    }

    var arrivals: [Arrival] = []
    arrivals.reserveCapacity(count)
    var time = 0
    for (index, status) in statuses.enumerated() {
      let sequence = base &+ UInt16(truncatingIfNeeded: index)
      switch status {
      case .notReceived:
        arrivals.append(Arrival(sequence: sequence, offset: nil))
        continue
      case .smallDelta: time += Int(try body.read(UInt8.self, at: &offset))
      case .largeDelta: time += Int(try body.read(Int16.self, at: &offset))
      }
      arrivals.append(Arrival(sequence: sequence, offset: time))
    }
    self.init(
      sender: sender, media: media, referenceTime: Int32(bitPattern: packed) >> 8,
      feedbackCount: UInt8(truncatingIfNeeded: packed), arrivals: arrivals)
  }

  private static func unpack(
    _ chunk: UInt16, atMost limit: Int, into statuses: inout [PacketStatus]
  ) throws(WireError) {
    func status(_ code: UInt16) throws(WireError) -> PacketStatus {
      guard let status = PacketStatus(rawValue: code) else { throw .invalid("packet status symbol") }
      return status
    }
    switch chunk >> 14 {
    case 0, 1:
      // Run length: two bits of symbol, thirteen bits of count.
      let repeated = try status(chunk >> 13 & 3)
      let length = Int(chunk & 0x1FFF)
      guard length > 0 else { throw .invalid("run length") }
      statuses.append(contentsOf: repeatElement(repeated, count: min(length, limit)))
    case 2:
      for index in 0..<min(14, limit) { statuses.append(try status(chunk >> UInt16(13 - index) & 1)) }
    default:
      for index in 0..<min(7, limit) { statuses.append(try status(chunk >> UInt16(12 - index * 2) & 3)) }
    }
  }

  /// Writes the packet behind its RTCP header. Arrivals are taken as consecutive from the first one's sequence number,
  /// 65 535 at most; the caller keeps neighbouring arrivals within ±8 s, and what lies further is moved to that bound.
  func write(to writer: inout ByteWriter) {
    let listed = arrivals.prefix(Int(UInt16.max))
    writer.write(sender.raw)
    writer.write(media.raw)
    writer.write(listed.first?.sequence ?? 0)
    writer.write(UInt16(listed.count))
    writer.write24(UInt32(bitPattern: referenceTime))
    writer.write(feedbackCount)

    var statuses: [PacketStatus] = []
    statuses.reserveCapacity(listed.count)
    var deltas = ByteWriter(capacity: listed.count)
    var time = 0
    for arrival in listed {
      guard let offset = arrival.offset else {
        statuses.append(.notReceived)
        continue
      }
      let delta = Int16(clamping: offset &- time)
      time += Int(delta)
      if (0...255).contains(delta) {
        statuses.append(.smallDelta)
        deltas.write(UInt8(delta))
      } else {
        statuses.append(.largeDelta)
        deltas.write(delta)
      }
    }
    Self.writeChunks(statuses, to: &writer)
    writer.write(contentsOf: deltas.bytes)
  }

  private static func writeChunks(_ statuses: [PacketStatus], to writer: inout ByteWriter) {
    var index = 0
    while index < statuses.count {
      let rest = statuses[index...]
      let first = statuses[index]
      let run = rest.prefix(0x1FFF).prefix { $0 == first }.count
      let next14 = rest.prefix(14)
      if run >= 14 || run == rest.count || (run >= 7 && next14.contains(.largeDelta)) {
        writer.write(first.rawValue << 13 | UInt16(run))
        index += run
      } else if !next14.contains(.largeDelta) {
        var chunk: UInt16 = 0x8000
        for (place, status) in next14.enumerated() { chunk |= status.rawValue << UInt16(13 - place) }
        writer.write(chunk)
        index += next14.count
      } else {
        let next7 = rest.prefix(7)
        var chunk: UInt16 = 0xC000
        for (place, status) in next7.enumerated() { chunk |= status.rawValue << UInt16(12 - place * 2) }
        writer.write(chunk)
        index += next7.count
      }
    }
  }
}
