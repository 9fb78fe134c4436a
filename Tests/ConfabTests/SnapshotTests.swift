import Foundation
import Media
import Testing

@testable import confab

@Suite struct SnapshotTests {
  private static let moment = DateComponents(
    calendar: Calendar(identifier: .gregorian), year: 2026, month: 3, day: 9, hour: 8, minute: 5, second: 7)

  private static func snapshot(room: String = "demo", name: String = "Ada", file: String? = nil) -> Snapshot {
    Snapshot(room: room, name: name, takenAt: moment.date ?? Date(), file: file)
  }

  @Test func theNameTellsRoomPersonAndTime() {
    let paths = Self.snapshot().paths(environment: ["XDG_PICTURES_DIR": "/tmp", "HOME": "/root"])
    #expect(paths.first == "/tmp/confab-demo-Ada-20260309-080507.png")
    #expect(paths.dropFirst().first == "/tmp/confab-demo-Ada-20260309-080507-2.png")
    let here = FileManager.default.currentDirectoryPath
    #expect(Self.snapshot().paths(environment: [:]).first?.hasPrefix(here) == true)
    #expect(
      Self.snapshot().paths(environment: ["XDG_PICTURES_DIR": "/nonexistent"]).first?.hasPrefix(here + "/confab-")
        == true)
  }

  @Test(arguments: [
    ("../../etc/passwd", "etc-passwd"), ("/", "x"), ("", "x"), ("-rf *", "rf"), ("a\u{0}b\nc", "a-b-c"),
    ("Björn Å", "Björn-Å"), ("..", "x"), ("\u{202E}gnp.exe", "gnp-exe"), ("山田", "山田"), ("a.png", "a-png"),
  ]) func namesFromOutsideAreNoPaths(name: String, safe: String) {
    #expect(Snapshot.safe(name, fallback: "x") == safe)
  }

  @Test func longNamesStayWithinWhatFileSystemsTake() {
    let long = String(repeating: "山", count: 500)
    let paths = Self.snapshot(room: long, name: long).paths(environment: ["XDG_PICTURES_DIR": "/tmp"])
    #expect(paths.allSatisfy { ($0 as NSString).lastPathComponent.utf8.count <= 255 })
  }

  @Test func aNamedFileIsTakenAsNamed() {
    #expect(Self.snapshot(file: "/x/y.png").paths() == ["/x/y.png"])
    #expect(Self.snapshot(file: "/x/y").paths() == ["/x/y.png"])
    #expect(Self.snapshot(file: "/tmp").paths().first?.hasPrefix("/tmp/confab-demo-Ada-") == true)
    #expect(Self.snapshot(file: "~/y.PNG").paths() == [NSHomeDirectory() + "/y.PNG"])
  }

  @Test func twoPicturesOfOneSecondAreTwoFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snapshots-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = I420Buffer.filled(width: 64, height: 36, y: 120)
    let snapshot = Self.snapshot(file: folder.path)
    #expect(snapshot.keep(picture).hasSuffix("confab-demo-Ada-20260309-080507.png (64x36)."))
    #expect(snapshot.keep(picture).hasSuffix("-080507-2.png (64x36)."))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    let named = Self.snapshot(file: folder.path + "/one.png")
    #expect(named.keep(picture).contains("Picture saved to"))
    #expect(named.keep(picture).contains("File exists"))
    #expect(snapshot.keep(nil) == Snapshot.noPicture)
  }
}
