/// What went wrong with a codec, a file or a device, with a sentence for a person.
public struct MediaError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    case missingFile = "missing_file"
    case unreadableFile = "unreadable_file"
    case fileExists = "file_exists"
    case unwritableFile = "unwritable_file"
    case unsupportedFormat = "unsupported_format"
    case truncatedFile = "truncated_file"
    case invalidConfiguration = "invalid_configuration"
    case codecFailed = "codec_failed"
    case deviceUnavailable = "device_unavailable"
  }

  public let code: Code
  /// What happened and what to do about it.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
