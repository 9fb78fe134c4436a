/// Millicast's own signalling, as Dolby OptiView's real-time streams have it: a director, asked over HTTPS, says where the
/// stream is, and JSON over a WebSocket there does the rest (protocol sheet §1, §2). Viewing only.
public enum Millicast {
  /// What people call the system.
  public static let system = "Millicast"
  /// The service's own director.
  public static let defaultDirector = "https://director.millicast.com"
}

extension Millicast {
  /// Why a text is no address of a stream.
  public enum AddressError: Error, Equatable, Sendable {
    /// Not `millicast://ACCOUNT/STREAM`.
    case malformed
    /// The director is not an `https://` URL, or `http://` on this machine, where nobody can read the token on its way.
    case directorNotSecure(String)
    /// An option behind the question mark that does not exist.
    case unknownOption(String)
  }

  /// A stream: `millicast://ACCOUNT/STREAM`, with options behind a question mark.
  ///
  /// - `director=URL`: another director; a path in it is kept.
  /// - `pin=SOURCE`: the source that has the main places and comes first when bandwidth is short.
  /// - `exclude=SOURCE`: a source that is neither announced nor received; may be given more than once.
  public struct Address: Equatable, Sendable {
    public var account: String
    public var stream: String
    /// Where the director is asked.
    public var directorURL: String
    public var pinnedSource: String?
    public var excludedSources: [String] = []

    public init(account: String, stream: String, director: String = Millicast.defaultDirector) throws(AddressError) {
      guard !account.isEmpty, !stream.isEmpty else { throw .malformed }
      self.account = account
      self.stream = stream
      directorURL = try Self.subscribeURL(director)
    }

    public init(parsing text: String) throws(AddressError) {
      let address: ServerAddress
      do { address = try ServerAddress(text) } catch { throw .malformed }
      guard address.scheme == "millicast" else { throw .malformed }
      var director = Millicast.defaultDirector
      var pinned: String?
      var excluded: [String] = []
      for option in address.query {
        guard !option.value.isEmpty else { throw .unknownOption(option.name) }
        switch option.name {
        case "director": director = option.value
        case "pin": pinned = option.value
        case "exclude": excluded.append(option.value)
        default: throw .unknownOption(option.name)
        }
      }
      try self.init(
        account: address.authority, stream: percentDecoded(address.path.dropFirst()), director: director)
      pinnedSource = pinned
      excludedSources = excluded
    }

    /// Whether links may be made without TLS: only with a director on this machine, for tests and tunnels.
    var allowsPlain: Bool { directorURL.hasPrefix("http://") }

    private static func subscribeURL(_ director: String) throws(AddressError) -> String {
      let address: ServerAddress
      do { address = try ServerAddress(director) } catch { throw .directorNotSecure(director) }
      guard address.scheme == "https" || address.scheme == "http" && isLocal(address.authority) else {
        throw .directorNotSecure(director)
      }
      let path = address.path.hasSuffix("/subscribe") ? address.path : address.path + "/api/director/subscribe"
      return "\(address.scheme)://\(address.authority)\(path)"
    }

    private static func isLocal(_ authority: String) -> Bool {
      if authority == "[::1]" || authority.hasPrefix("[::1]:") { return true }
      let host = authority.split(separator: ":", omittingEmptySubsequences: false).first ?? ""
      // Four numbers, so that 127.0.0.1.example.org is not taken for this machine.
      let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
      return host == "localhost" || numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
  }
}
