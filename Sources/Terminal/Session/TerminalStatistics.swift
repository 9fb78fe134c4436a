public import RTCCore

/// What the session has painted so far.
public struct TerminalStatistics: Hashable, Sendable {
  /// Frames whose bytes were handed to the terminal.
  public var framesPresented = 0
  /// Frames replaced by a newer one because the terminal had not yet taken the one before.
  public var framesSkipped = 0
  /// Pictures replaced by a newer one before any frame had shown them, because the terminal was behind or its link is
  /// given fewer.
  public var picturesSkipped = 0
  /// Bytes that the terminal took.
  public var bytesWritten = 0
  /// Time spent on making frames: ncurses, the video painter, no waiting.
  public var encodeTime: Duration = .zero

  public init() {}
}

/// A frame has left the process whole.
public struct FrameReceipt: Hashable, Sendable {
  /// As given to ``TerminalSession/present(_:tag:shown:missed:thinned:isUrgent:)``.
  public let tag: UInt64
  /// When its bytes were ready.
  public let encodedAt: MonotonicTime
  /// When the kernel took its last byte.
  public let writtenAt: MonotonicTime
  public let bytes: Int
}
