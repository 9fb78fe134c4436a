/// A STUN message (RFC 8489) with the attributes that ICE uses (RFC 8445 §7.1).
public struct STUNMessage: Sendable {
  public enum MessageClass: UInt16, Hashable, Sendable {
    case request = 0b00
    case indication = 0b01
    case success = 0b10
    case error = 0b11
  }

  public enum Attribute: Hashable, Sendable {
    /// `remote ufrag:local ufrag` in ICE, seen from the sender.
    case username(String)
    case priority(UInt32)
    case useCandidate
    /// The agent is in the controlled role; the number breaks a tie.
    case iceControlled(tieBreaker: UInt64)
    case iceControlling(tieBreaker: UInt64)
    /// XOR-MAPPED-ADDRESS: where the request was seen to come from.
    case mappedAddress(IPEndpoint)
    /// 300…699 with a reason for people.
    case errorCode(UInt16, reason: String)
    /// Types that made the peer answer with error 420.
    case unknownAttributes([UInt16])
    case software(String)
    case other(type: UInt16, value: [UInt8])
  }

  /// The method of every ICE check.
  public static let binding: UInt16 = 1

  public var messageClass: MessageClass
  /// 12 bits.
  public var method: UInt16
  /// 12 bytes.
  public var transactionID: [UInt8]
  /// Without MESSAGE-INTEGRITY and FINGERPRINT, which belong to the bytes and not to the meaning.
  public var attributes: [Attribute]
  /// Whether the bytes read had a FINGERPRINT; a wrong one does not parse.
  public internal(set) var hasFingerprint = false
  /// The bytes up to MESSAGE-INTEGRITY and its value, when the bytes read had one.
  var integrity: (covered: [UInt8], code: [UInt8])?

  /// - Parameters:
  ///   - messageClass: request, indication or answer.
  ///   - method: 1 for binding, the only one here.
  ///   - transactionID: 12 bytes.
  ///   - attributes: in the order in which they are written.
  public init(
    _ messageClass: MessageClass, method: UInt16 = Self.binding, transactionID: [UInt8], attributes: [Attribute] = []
  ) {
    precondition(transactionID.count == 12)
    self.messageClass = messageClass
    self.method = method & 0xFFF
    self.transactionID = transactionID
    self.attributes = attributes
  }

  /// Whether the bytes read had a MESSAGE-INTEGRITY, right or wrong.
  public var hasIntegrity: Bool { integrity != nil }

  /// Computes an HMAC-SHA1 of 20 bytes.
  public typealias MessageAuthentication = (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]

  /// Whether the bytes read had a MESSAGE-INTEGRITY made with this key (RFC 8489 §14.5); in ICE the key is the
  /// password's UTF-8. False for a message without one.
  public func verifyIntegrity(key: [UInt8], mac: MessageAuthentication) -> Bool {
    guard let integrity else { return false }
    let expected = mac(key, integrity.covered)
    guard expected.count == integrity.code.count else { return false }
    // Constant time: how long it takes must not tell how many bytes were right.
    return zip(expected, integrity.code).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension STUNMessage {
  public var username: String? {
    for case .username(let value) in attributes { return value }
    return nil
  }
  public var priority: UInt32? {
    for case .priority(let value) in attributes { return value }
    return nil
  }
  public var nominates: Bool { attributes.contains(.useCandidate) }
  public var mappedAddress: IPEndpoint? {
    for case .mappedAddress(let value) in attributes { return value }
    return nil
  }
  public var errorCode: UInt16? {
    for case .errorCode(let code, _) in attributes { return code }
    return nil
  }
  /// Types of attributes that a receiver must understand and this one does not; a request that has any is answered
  /// with error 420 (RFC 8489 §6.3.1).
  public var unknownRequired: [UInt16] {
    attributes.compactMap { attribute in
      if case .other(let type, _) = attribute, type < 0x8000 { return type }
      return nil
    }
  }
}
