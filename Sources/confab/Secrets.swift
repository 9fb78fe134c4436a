import Conference
import Foundation
import Glibc
import RoomServer
import Screen

/// The process's own line in `ps`.
enum ProcessList {
  /// Overwrites the values of secret flags, and tokens in links, in the arguments that the kernel shows to everybody.
  static func blankSecrets() {
    let arguments = CommandLine.unsafeArgv
    var isSecret = false
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = arguments[index] else { continue }
      let bytes = UnsafeBufferPointer(start: argument, count: strlen(argument)).map { UInt8(bitPattern: $0) }
      var secrets = Invitation.secrets(in: bytes)
      if isSecret { secrets = [bytes.indices] }
      if bytes.starts(with: "--token=".utf8) { secrets = [8..<bytes.count] }
      for secret in secrets { memset(argument + secret.lowerBound, Int32(UInt8(ascii: "x")), secret.count) }
      isSecret = strcmp(argument, "--token") == 0
    }
  }
}

/// Secrets in files that only their owner can read.
enum SecretFile {
  /// The file's content without white space at its ends.
  static func read(_ path: String) throws(ConferenceError) -> String {
    let bytes: [UInt8]
    do throws(PrivateFile.Failure) { bytes = try PrivateFile.read(path) } catch {
      switch error {
      case .unreadable(let reason):
        throw ConferenceError(.usage, "The file “\(path)” cannot be read: \(reason).", cause: error)
      case .tooOpen:
        throw ConferenceError(
          .usage, "Others can read \(path). Secrets are taken only from files with mode 0600: chmod 600 \(path)",
          cause: error)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConferenceError(.usage, "The file \(path) is not readable text.")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
