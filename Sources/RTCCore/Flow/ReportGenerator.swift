/// Says when reports are due, and puts them into compound packets (RFC 3550 §6.1).
public struct ReportGenerator: Sendable {
  /// Blocks that one report can hold (RFC 3550 §6.4.1, a field of five bits).
  private static let blocksPerReport = 31

  private let localSSRC: SSRC
  private let canonicalName: String
  private let interval: Duration
  public private(set) var nextDeadline: MonotonicTime

  /// - Parameters:
  ///   - localSSRC: source of receiver reports while nothing is sent.
  ///   - canonicalName: CNAME of RFC 7022, a random text.
  ///   - interval: time between reports. Default 1 s: round-trip times stay fresh at the cost of about 1 kbit/s.
  ///   - now: from which the first interval counts.
  public init(localSSRC: SSRC, canonicalName: String, interval: Duration = .seconds(1), at now: MonotonicTime) {
    self.localSSRC = localSSRC
    self.canonicalName = canonicalName
    self.interval = interval
    nextDeadline = now + interval
  }

  /// Whether reports are to be made now; then the next deadline moves on.
  public mutating func takeDue(at now: MonotonicTime) -> Bool {
    guard nextDeadline <= now else { return false }
    nextDeadline = max(nextDeadline + interval, now + interval / 2)
    return true
  }

  /// One compound: all sender reports, the blocks about what is received, and the CNAME of each source.
  public func makeCompound(senderReports: [SenderReport], blocks: [ReportBlock]) -> [RTCPPacket] {
    var rest = blocks[...]
    func nextBlocks() -> [ReportBlock] {
      defer { rest = rest.dropFirst(Self.blocksPerReport) }
      return Array(rest.prefix(Self.blocksPerReport))
    }
    var packets: [RTCPPacket] = []
    for report in senderReports {
      var filled = report
      filled.reports = nextBlocks()
      packets.append(.senderReport(filled))
    }
    let reporter = senderReports.first?.ssrc ?? localSSRC
    while packets.isEmpty || !rest.isEmpty {
      packets.append(.receiverReport(ReceiverReport(ssrc: reporter, reports: nextBlocks())))
    }
    let sources = senderReports.isEmpty ? [localSSRC] : senderReports.map(\.ssrc)
    let name: [(type: UInt8, text: String)] = [(type: 1, text: canonicalName)]
    let chunks = sources.map { SourceDescription.Chunk(ssrc: $0, items: name) }
    packets.append(.sourceDescription(SourceDescription(chunks: chunks)))
    return packets
  }
}
