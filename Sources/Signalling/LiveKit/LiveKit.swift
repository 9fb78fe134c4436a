/// LiveKit's signalling, protocol "v0" with two peer connections: messages, access tokens, and the client's side.
///
/// Message and field names follow the schema of `livekit/protocol` (package `livekit`); the fields that nothing here uses
/// are left out and skipped when they arrive.
public enum LiveKit {
  /// The version of the signalling protocol that this program speaks.
  public static let protocolVersion: Int32 = 16
}
