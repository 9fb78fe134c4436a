import Foundation
import RTCCore

/// API keys and their secrets from a file: a pair a line as `key: secret` or `key secret`; `#` begins a comment.
public enum KeyFile {
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason is half a sentence.
    case unreadable(path: String, reason: String)
    /// Others than the owner may read or write it.
    case tooOpen(path: String, mode: UInt16)
    /// Not a pair; lines count from 1.
    case malformedLine(path: String, line: Int)
    case duplicateKey(path: String, line: Int)
    case empty(path: String)

    public var description: String {
      switch self {
      case .unreadable(let path, let reason): "The key file “\(path)” cannot be read: \(reason)."
      case .tooOpen(let path, let mode):
        "The key file \(path) has mode \(String(mode, radix: 8)): secrets must be for their owner only. "
          + "Run: chmod 600 \(path)"
      case .malformedLine(let path, let line): "Line \(line) of \(path) is not `key: secret`."
      case .duplicateKey(let path, let line): "Line \(line) of \(path) names a key a second time."
      case .empty(let path): "The key file \(path) holds no key."
      }
    }
  }

  /// Reads the file, which must have mode 0600 or stricter.
  public static func read(path: String) throws(Failure) -> [String: String] {
    let bytes: [UInt8]
    do throws(PrivateFile.Failure) { bytes = try PrivateFile.read(path) } catch {
      switch error {
      case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
      case .tooOpen(let mode): throw .tooOpen(path: path, mode: mode)
      }
    }
    return try parse(String(decoding: bytes, as: UTF8.self), path: path)
  }

  static func parse(_ text: String, path: String) throws(Failure) -> [String: String] {
    var keys: [String: String] = [:]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let content = line.trimmingCharacters(in: .whitespaces)
      if content.isEmpty || content.hasPrefix("#") { continue }
      let parts = content.split(maxSplits: 1, whereSeparator: { $0 == ":" || $0 == " " || $0 == "\t" })
      let secret = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      guard let key = parts.first.map(String.init), !secret.isEmpty else {
        throw .malformedLine(path: path, line: index + 1)
      }
      guard keys.updateValue(secret, forKey: key) == nil else { throw .duplicateKey(path: path, line: index + 1) }
    }
    guard !keys.isEmpty else { throw .empty(path: path) }
    return keys
  }
}
