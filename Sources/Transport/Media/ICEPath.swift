import RTCCore

/// The way of one connection's datagrams to its peer, found by ICE.
@NetworkActor
protocol ICEPath: AnyObject {
  var ufrag: String { get }
  var password: String { get }
  /// Datagrams that were received or given to ``send(_:)`` and not used.
  var drops: DropCounters { get }

  /// A datagram that is not ICE's own; its bytes may be changed in place and are gone after the call.
  var onDatagram: ((UnsafeMutableRawBufferPointer) -> Void)? { get set }
  /// A candidate attribute's value, then an empty string.
  var onCandidate: ((String) -> Void)? { get set }
  /// A pair was nominated; datagrams can be sent.
  var onConnected: (() -> Void)? { get set }
  /// No pair works, or none any more.
  var onFailed: (() -> Void)? { get set }

  func setServers(_ servers: [ICEServer])
  /// Gives our side new credentials, under which the peer's next checks come (RFC 8445 §9). What was found before goes on
  /// carrying datagrams. Candidates are told again where they are told at all. False when that cannot be done.
  func restart() -> Bool
  func gather()
  func connect(remoteUfrag: String, remotePassword: String)
  /// A candidate attribute's value; an empty one when there are no more.
  func addRemoteCandidate(_ candidate: String)
  /// Sends at once or never: what the socket does not take is counted as ``DropReason/queueFull``.
  func send(_ datagram: UnsafeRawBufferPointer)
  func close()
}
