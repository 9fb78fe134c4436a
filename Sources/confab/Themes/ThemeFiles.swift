import Foundation
import Screen

/// Theme files on the disk.
enum ThemeFiles {
  static let suffix = ".theme"
  /// Files that are looked at; whoever has more keeps something else there.
  private static let limit = 256

  /// The bundled themes and those of the person, which win over bundled ones of the same name: `themes/*.theme` and
  /// `*.theme` in the folder of the configuration.
  static func library(_ environment: [String: String]) -> ThemeLibrary {
    var library = ThemeLibrary.bundled
    for path in paths(environment) {
      do throws(SmallFile.Failure) {
        // One that went away meanwhile is not there.
        guard let bytes = try SmallFile.read(path, limit: SettingsText.sizeLimit) else { continue }
        library.add(ThemeSheet(name: name(path), bytes: bytes))
      } catch {
        library.add(ThemeSheet(name: name(path), unreadable: "\(error)"))
      }
    }
    return library
  }

  /// The person's theme files, in the order of their names.
  static func paths(_ environment: [String: String]) -> [String] {
    guard let folder = ConfigurationFolder.path(environment) else { return [] }
    return [folder, folder + "/themes"].flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.filter { $0.hasSuffix(suffix) && $0 != suffix }.sorted().prefix(limit).map { folder + "/" + $0 }
    }
  }

  /// A file as it stands; its name is the file's without the suffix. Throws when it cannot be read.
  static func sheet(path: String) throws(UsageError) -> ThemeSheet {
    ThemeSheet(name: name(path), bytes: try bytes(path))
  }

  static func bytes(_ path: String) throws(UsageError) -> [UInt8] {
    let shown = SanitizedText(path).cut(to: 120)
    do throws(SmallFile.Failure) {
      guard let bytes = try SmallFile.read(path, limit: SettingsText.sizeLimit) else {
        throw .system(ENOENT)
      }
      return bytes
    } catch { throw UsageError("The theme file \(shown) cannot be read: \(error).") }
  }

  static func name(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(suffix) ? String(file.dropLast(suffix.count)) : file
  }
}
