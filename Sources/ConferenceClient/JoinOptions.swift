import Media

/// How to join a room.
public struct JoinOptions: Sendable {
  /// The system that the address belongs to, where its scheme does not say: `https` may be LiveKit's or WHEP's.
  public var system: RoomSystem?
  /// Receive what others publish. Off for programs that only publish.
  public var subscribes = true
  /// Receive and decode video; off leaves every video track unasked for.
  public var receivesVideo = true
  /// Receive and decode audio.
  public var receivesAudio = true
  /// Where the room's sound goes, together with that of others; nil for a mixer of its own.
  public var mixer: AudioMixer?
  /// What others see, where no token says it.
  public var displayName: String?
  /// Opens rooms that have one (Janus).
  public var pin: String?
  /// Shared secret of a server (Janus).
  public var apiSecret: String?
  /// PEM file with certificate authorities trusted besides the system's.
  public var certificateAuthorityFile: String?
  /// Longest time until the room has let us in. Default 10 s: a server that takes longer is taken for dead.
  public var timeout = Duration.seconds(10)

  /// Takes notes about the connection for whoever looks for a fault. Tokens and keys are never in them.
  public var log: @Sendable (String) -> Void = { _ in }

  public init() {}
}
