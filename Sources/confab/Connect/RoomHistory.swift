import Foundation
import Glibc
import Screen

/// The rooms that were joined before, in a file of the person's own: one JSON object a line, newest first.
///
/// Tokens are never in it. A file that is damaged is used as far as it goes, and kept aside before it is replaced.
struct RoomHistory: Sendable {
  /// What is read of a file at most; twelve rooms are a hundredth of it.
  private static let sizeLimit = 1 << 18

  let path: String

  /// `$XDG_STATE_HOME/confab/rooms`, else `~/.local/state/confab/rooms`.
  init(environment: [String: String]) {
    // The XDG base directory specification has relative paths ignored.
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"] ?? NSHomeDirectory()
    path = (state ?? home + "/.local/state") + "/confab/rooms"
  }

  /// What a file says.
  struct Content: Equatable {
    var rooms: [KnownRoom] = []
    /// What could not be read, as a sentence; nil when all is well.
    var complaint: String?
  }

  func load() -> Content {
    guard let file = fopen(path, "re") else {
      return errno == ENOENT
        ? Content() : Content(complaint: "The list of rooms, \(path), cannot be read: \(Self.reason()).")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Self.sizeLimit)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else {
      return Content(complaint: "The list of rooms, \(path), cannot be read: \(Self.reason()).")
    }
    return parse(bytes[..<count], isCut: count == bytes.count)
  }

  private func parse(_ bytes: ArraySlice<UInt8>, isCut: Bool) -> Content {
    var content = Content()
    var damaged = isCut
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let room = Self.room(from: line) else {
        damaged = true
        continue
      }
      if content.rooms.count < KnownRoom.limit, !content.rooms.contains(where: { $0.isSame(as: room) }) {
        content.rooms.append(room)
      }
    }
    if damaged { content.complaint = "The list of rooms, \(path), is damaged; what is readable of it is shown." }
    return content
  }

  private static func room(from line: ArraySlice<UInt8>) -> KnownRoom? {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
      let address = object["url"] as? String, let name = object["room"] as? String,
      let joined = (object["joined"] as? NSNumber)?.int64Value
    else { return nil }
    return KnownRoom(address: address, name: name, joinedAt: joined)
  }

  /// Remembers that a room was joined just now; nil when its address may hold a secret.
  func add(_ name: String, at address: String) -> Content? {
    KnownRoom(address: address, name: name, joinedAt: Int64(Date().timeIntervalSince1970)).map(add)
  }

  /// Puts a room at the top, beside what other programs wrote meanwhile.
  /// - Returns: the new list, and a sentence when it could not be written.
  func add(_ room: KnownRoom) -> Content { change { $0.adding(room) } }

  /// Takes a room off the list.
  func remove(_ room: KnownRoom) -> Content { change { $0.filter { !$0.isSame(as: room) } } }

  private func change(_ edit: ([KnownRoom]) -> [KnownRoom]) -> Content {
    var content = load()
    let isDamaged = content.complaint != nil
    content.rooms = edit(content.rooms)
    content.complaint = nil
    if isDamaged { rename(path, path + ".damaged") }
    if let reason = write(content.rooms) {
      content.complaint = "The list of rooms, \(path), cannot be written: \(reason)."
    }
    return content
  }

  /// By way of a second file, so that nobody ever reads half a list. Answers why it failed.
  private func write(_ rooms: [KnownRoom]) -> String? {
    let folder = (path as NSString).deletingLastPathComponent
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      return "\(folder) cannot be made"
    }
    let lines = rooms.map { room in
      JSON.object([
        ("url", .text(room.address)), ("room", .text(room.name)), ("joined", .number(Int(room.joinedAt))),
      ]).text + "\n"
    }
    var template = Array((path + ".XXXXXX").utf8CString)
    // Made with mode 0600.
    let file = mkstemp(&template)
    guard file >= 0 else { return Self.reason() }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var failure = StandardOutput.write(Array(lines.joined().utf8), to: file)
    if close(file) != 0, failure == 0 { failure = errno }
    if failure == 0, rename(temporary, path) != 0 { failure = errno }
    guard failure != 0 else { return nil }
    unlink(temporary)
    return String(cString: strerror(failure))
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
