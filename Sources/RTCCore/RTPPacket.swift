/// One RTP packet in clear (RFC 3550 §5.1, header extensions RFC 8285).
public struct RTPPacket: Equatable, Sendable {
  /// One header-extension element: the negotiated id, 1…14 in one-byte form or 1…255 in two-byte form, and its bytes.
  public struct Extension: Equatable, Sendable {
    public var id: UInt8
    public var data: [UInt8]

    public init(id: UInt8, data: [UInt8]) {
      self.id = id
      self.data = data
    }
  }

  public var payloadType: UInt8
  public var marker: Bool
  public var sequenceNumber: SequenceNumber
  public var timestamp: RTPTimestamp
  public var ssrc: SSRC
  public var contributingSources: [SSRC]
  public var extensions: [Extension]
  /// The payload without padding.
  public var payload: [UInt8]
  /// Padding octets that followed the payload, 0…255.
  public var paddingLength: UInt8

  public init(
    payloadType: UInt8, marker: Bool = false, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, ssrc: SSRC,
    contributingSources: [SSRC] = [], extensions: [Extension] = [], payload: [UInt8] = [], paddingLength: UInt8 = 0
  ) {
    self.payloadType = payloadType
    self.marker = marker
    self.sequenceNumber = sequenceNumber
    self.timestamp = timestamp
    self.ssrc = ssrc
    self.contributingSources = contributingSources
    self.extensions = extensions
    self.payload = payload
    self.paddingLength = paddingLength
  }

  /// The bytes of the extension element with this id, or nil.
  public func extensionData(_ id: UInt8) -> [UInt8]? { extensions.first { $0.id == id }?.data }
}
