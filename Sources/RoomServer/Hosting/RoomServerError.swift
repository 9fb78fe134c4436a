import Transport

/// Why the room server did not start. The text is for a person.
public enum RoomServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another program listens there.
  case addressInUse(String)
  /// The address is not one of this machine, or not an address.
  case addressNotLocal(String)
  /// The system does not allow it.
  case cannotListen(address: String, reason: String)
  /// The development key on an address that others can reach.
  case keysRequired(bind: String)
  /// No key at all.
  case noKeys
  case certificate(String)

  public var description: String {
    switch self {
    case .addressInUse(let address):
      "Something else listens on \(address) already. Stop it, or choose another port."
    case .addressNotLocal(let address):
      "“\(address)” is not an address of this machine. Give one that it has, such as 127.0.0.1, or 0.0.0.0 for all of them."
    case .cannotListen(let address, let reason):
      "Cannot listen on \(address): \(reason)."
    case .keysRequired(let bind):
      "Listening on \(bind) lets others reach the server, so it needs keys of its own: the development key works on "
        + "loopback only. Give a key file."
    case .noKeys: "The server has no API key, so nobody could join."
    case .certificate(let reason): "Cannot make a certificate for DTLS: \(reason)."
    }
  }
}

extension RoomServerError {
  /// - Parameter port: number and protocol.
  init(_ error: TransportError, bind: String, port: String) {
    switch error {
    case .addressInUse: self = .addressInUse("\(bind):\(port)")
    case .addressNotLocal: self = .addressNotLocal(bind)
    default: self = .cannotListen(address: "\(bind):\(port)", reason: "\(error)")
    }
  }
}
