import Transport

/// What carries the messages of a signalling adapter: an open WebSocket, or whatever else a system has.
@NetworkActor
protocol SignallingChannel: AnyObject {
  /// A message of the server. What came before this was set is given then, in order.
  var onMessage: (@NetworkActor ([UInt8]) -> Void)? { get set }
  /// The connection is closed; called once.
  var onClose: (@NetworkActor (_ code: Int, _ reason: String) -> Void)? { get set }
  func send(_ message: [UInt8])
  func close(code: Int, reason: String)
  /// Waits until what was sent last has gone out, as far as closing does not see to it.
  func flush() async
}

extension SignallingChannel {
  func flush() async {}
}

extension WebSocketConnection: SignallingChannel {}
