import Foundation
import Glibc
import Testing

@testable import confab

@Suite struct StandardStreamsTests {
  @Test func aPipeThatDoesNotBlockIsWaitedFor() async throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    // More than a pipe holds.
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    let reader = Task.detached { try pipe.fileHandleForReading.readToEnd()?.count }
    #expect(StandardOutput.write(bytes, to: descriptor) == 0)
    try pipe.fileHandleForWriting.close()
    #expect(try await reader.value == bytes.count)
  }

  @Test func aFullDiskIsNamed() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    #expect(StandardOutput.write([1], to: full.fileDescriptor) == ENOSPC)
  }

  @Test func figuresGoIntoWhateverThePathNames() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = folder.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    // Both ends, so that opening waits for nobody.
    let end = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(end) }
    try ReportBox().write(to: pipe)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(end, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("memory_mb"))
    let attributes = try FileManager.default.attributesOfItem(atPath: pipe)
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
    #expect(throws: (any Error).self) { try ReportBox().write(to: folder.path) }
  }
}

@Test func messagesNeitherSteerTheTerminalNorShowATokenNorRunOn() {
  let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"
  #expect(StandardError.printable("There is no file “\u{1B}[31m”.") == "There is no file “^[[31m”.")
  #expect(
    StandardError.printable("It has mistakes:\n  line 1: a\n  line 2: b")
      == "It has mistakes:\n  line 1: a\n  line 2: b")
  #expect(StandardError.printable("There is no command \(token).") == "There is no command •••")
  #expect(StandardError.printable("a \(String(repeating: "x", count: 100_000))").count < 300)
}
