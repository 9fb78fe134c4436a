extension RTCPPacket {
  /// The packets' bytes one after the other. Lists longer than one packet's count field (31) go on in further packets
  /// of the same kind, receiver reports after a full sender report; `other` has no body to write and is left out.
  public static func serialize(_ packets: [RTCPPacket]) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    for packet in packets { packet.write(to: &writer) }
    return writer.bytes
  }

  private func write(to writer: inout ByteWriter) {
    switch self {
    case .senderReport(let report):
      Self.write(PayloadType.senderReport, UInt8(min(report.reports.count, 31)), to: &writer) { writer in
        writer.write(report.ssrc.raw)
        writer.write(report.ntpTime.raw)
        writer.write(report.rtpTimestamp.raw)
        writer.write(report.packetCount)
        writer.write(report.octetCount)
        for block in report.reports.prefix(31) { block.write(to: &writer) }
      }
      if report.reports.count > 31 {
        Self.write(reports: report.reports.dropFirst(31), from: report.ssrc, to: &writer)
      }
    case .receiverReport(let report):
      Self.write(reports: report.reports[...], from: report.ssrc, to: &writer)
    case .sourceDescription(let description):
      Self.forEachBatch(of: description.chunks[...], size: 31) { chunks in
        Self.write(PayloadType.sourceDescription, UInt8(chunks.count), to: &writer) { writer in
          for chunk in chunks { chunk.write(to: &writer) }
        }
      }
    case .goodbye(let goodbye):
      Self.forEachBatch(of: goodbye.sources[...], size: 31) { sources in
        Self.write(PayloadType.goodbye, UInt8(sources.count), to: &writer) { writer in
          for source in sources { writer.write(source.raw) }
          if let reason = goodbye.reason {
            let text = reason.utf8.prefix(255)
            writer.write(UInt8(text.count))
            writer.write(contentsOf: text)
          }
        }
      }
    case .nack(let nack):
      // 256 fields keep a packet near one kilobyte, within any path's MTU.
      Self.forEachBatch(of: nack.fields[...], size: 256) { fields in
        guard !fields.isEmpty else { return }
        Self.write(PayloadType.transportFeedback, 1, to: &writer) { writer in
          writer.write(nack.sender.raw)
          writer.write(nack.media.raw)
          for field in fields {
            writer.write(field.first.raw)
            writer.write(field.following)
          }
        }
      }
    case .pictureLossIndication(let indication):
      Self.write(PayloadType.payloadFeedback, 1, to: &writer) { writer in
        writer.write(indication.sender.raw)
        writer.write(indication.media.raw)
      }
    case .fullIntraRequest(let request):
      Self.forEachBatch(of: request.entries[...], size: 128) { entries in
        guard !entries.isEmpty else { return }
        Self.write(PayloadType.payloadFeedback, 4, to: &writer) { writer in
          writer.write(request.sender.raw)
          writer.write(UInt32(0))
          for entry in entries {
            writer.write(entry.ssrc.raw)
            writer.write(UInt32(entry.sequence) << 24)
          }
        }
      }
    case .transportFeedback(let feedback):
      guard !feedback.arrivals.isEmpty else { return }
      Self.write(PayloadType.transportFeedback, 15, to: &writer) { feedback.write(to: &$0) }
    case .bitrateEstimate(let estimate):
      Self.write(PayloadType.payloadFeedback, 15, to: &writer) { writer in
        let sources = estimate.sources.prefix(255)
        let exponent = max(0, 46 - estimate.bitrate.leadingZeroBitCount)
        writer.write(estimate.sender.raw)
        writer.write(UInt32(0))
        writer.write(BitrateEstimate.mark)
        writer.write(UInt32(sources.count) << 24 | UInt32(exponent) << 18 | UInt32(estimate.bitrate >> exponent))
        for source in sources { writer.write(source.raw) }
      }
    case .other:
      break
    }
  }

  private static func write(
    reports: ArraySlice<ReportBlock>, from ssrc: SSRC, to writer: inout ByteWriter
  ) {
    forEachBatch(of: reports, size: 31) { batch in
      write(PayloadType.receiverReport, UInt8(batch.count), to: &writer) { writer in
        writer.write(ssrc.raw)
        for block in batch { block.write(to: &writer) }
      }
    }
  }

  /// Calls `body` for consecutive pieces of a list, and once with nothing for an empty list.
  private static func forEachBatch<Element>(
    of list: ArraySlice<Element>, size: Int, _ body: (ArraySlice<Element>) -> Void
  ) {
    var rest = list
    repeat {
      body(rest.prefix(size))
      rest = rest.dropFirst(size)
    } while !rest.isEmpty
  }

  /// Writes one packet: header, `body`, zero bytes up to a 32-bit boundary with the padding bit left clear (formats
  /// whose body may end elsewhere say that such bytes are ignored), then the length.
  private static func write(
    _ payloadType: UInt8, _ format: UInt8, to writer: inout ByteWriter, body: (inout ByteWriter) -> Void
  ) {
    let start = writer.count
    writer.write(0x80 | (format & 0x1F))
    writer.write(payloadType)
    writer.write(UInt16(0))
    body(&writer)
    while (writer.count - start) % 4 != 0 { writer.write(UInt8(0)) }
    writer.patch(UInt16(truncatingIfNeeded: (writer.count - start) / 4 - 1), at: start + 2)
  }
}

extension ReportBlock {
  fileprivate func write(to writer: inout ByteWriter) {
    let lost = min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)
    writer.write(ssrc.raw)
    writer.write(fractionLost)
    writer.write24(UInt32(bitPattern: lost))
    writer.write(extendedHighestSequence)
    writer.write(jitter)
    writer.write(lastSenderReport)
    writer.write(delaySinceLastSenderReport)
  }
}

extension SourceDescription.Chunk {
  fileprivate func write(to writer: inout ByteWriter) {
    let start = writer.count
    writer.write(ssrc.raw)
    for item in items where item.type != 0 {
      let text = item.text.utf8.prefix(255)
      writer.write(item.type)
      writer.write(UInt8(text.count))
      writer.write(contentsOf: text)
    }
    repeat { writer.write(UInt8(0)) } while (writer.count - start) % 4 != 0
  }
}

extension GenericNACK {
  /// PID and BLP: one sequence number, and which of the sixteen after it are lost too.
  fileprivate var fields: [(first: SequenceNumber, following: UInt16)] {
    var fields: [(first: SequenceNumber, following: UInt16)] = []
    for sequence in lost {
      if let field = fields.last {
        let distance = sequence.distance(from: field.first)
        if distance == 0 { continue }
        if (1...16).contains(distance) {
          fields[fields.count - 1].following |= 1 << UInt16(distance - 1)
          continue
        }
      }
      fields.append((sequence, 0))
    }
    return fields
  }
}
