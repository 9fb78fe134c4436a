import Foundation
import Media

/// A picture of a tile that goes to a PNG file.
struct Snapshot: Sendable {
  /// As they came from outside.
  let room: String
  let name: String
  let takenAt: Date
  /// What the person named; nil for a name made of all of these in the folder for pictures.
  let file: String?

  static let noPicture = "There is no picture to keep yet."
  /// Files of one second and name that are told apart by a number.
  private static let attempts = 9
  /// Bytes of a room's or a person's name; file systems allow 255 for all.
  private static let partLimit = 60

  /// Writes the picture, and never over a file that is there.
  ///
  /// - Returns: a sentence for the person, how it went.
  func keep(_ picture: I420Buffer?) -> String {
    guard let picture else { return Self.noPicture }
    let pixels = PictureScaler().picture(of: picture, width: picture.width, height: picture.height)
    let paths = paths()
    for path in paths {
      do throws(MediaError) {
        try PNGFile.write(pixels, to: path)
        return "Picture saved to \(path) (\(picture.width)x\(picture.height))."
      } catch {
        if error.code != .fileExists || path == paths.last { return error.message }
      }
    }
    return Self.noPicture
  }

  /// Where it may go, the first that is free being taken.
  func paths(environment: [String: String] = ProcessInfo.processInfo.environment) -> [String] {
    guard let file else { return numbered(in: Self.folder(environment)) }
    let path = URL(fileURLWithPath: (file as NSString).expandingTildeInPath)
    if Self.isFolder(path.path) { return numbered(in: path.path) }
    return [path.pathExtension.lowercased() == "png" ? path.path : path.path + ".png"]
  }

  private func numbered(in folder: String) -> [String] {
    let base = URL(fileURLWithPath: folder).appendingPathComponent(fileName).path
    return (1...Self.attempts).map { $0 == 1 ? base + ".png" : base + "-\($0).png" }
  }

  /// `confab-ROOM-NAME-YYYYMMDD-HHMMSS`.
  private var fileName: String {
    let calendar = Calendar(identifier: .gregorian)
    let time = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: takenAt)
    let stamp = String(
      format: "%04d%02d%02d-%02d%02d%02d", time.year ?? 0, time.month ?? 0, time.day ?? 0, time.hour ?? 0,
      time.minute ?? 0, time.second ?? 0)
    return "confab-\(Self.safe(room, fallback: "room"))-\(Self.safe(name, fallback: "somebody"))-\(stamp)"
  }

  /// Only letters and digits of any script, so that a name from outside is neither a path nor an option nor a riddle.
  static func safe(_ text: String, fallback: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(256) {
      let isKept = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      let next = isKept ? String(Character(scalar)) : "-"
      if next == "-", result.isEmpty || result.hasSuffix("-") { continue }
      if result.utf8.count + next.utf8.count > partLimit { break }
      result += next
    }
    while result.hasSuffix("-") { result.removeLast() }
    return result.isEmpty ? fallback : result
  }

  /// `$XDG_PICTURES_DIR`, else `Pictures` at home, else where the program was started; the first that is there.
  private static func folder(_ environment: [String: String]) -> String {
    let wanted = [environment["XDG_PICTURES_DIR"], environment["HOME"].map { $0 + "/Pictures" }].compactMap(\.self)
    return wanted.first { $0.hasPrefix("/") && isFolder($0) } ?? FileManager.default.currentDirectoryPath
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
