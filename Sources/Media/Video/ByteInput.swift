import Glibc

/// A file or standard input, read forwards.
final class ByteInput {
  /// For messages.
  let name: String
  let canRewind: Bool
  private let file: UnsafeMutablePointer<FILE>
  private var peeked: [UInt8] = []

  /// `-` is standard input.
  init(path: String) throws(MediaError) {
    if path == "-" {
      let descriptor = dup(STDIN_FILENO)
      guard let input = fdopen(descriptor, "rb") else {
        if descriptor >= 0 { Glibc.close(descriptor) }
        throw MediaError(.unreadableFile, "There is no standard input to read.")
      }
      name = "Standard input"
      file = input
      canRewind = false
      return
    }
    guard let opened = fopen(path, "rbe") else {
      let reason = errno
      if reason == ENOENT || reason == ENOTDIR {
        throw MediaError(.missingFile, "There is no file “\(path)”. Check the name and the folder.")
      }
      throw MediaError(
        .unreadableFile, "\(path) cannot be read: \(String(cString: strerror(reason))). Check its permissions.")
    }
    var information = stat()
    guard fstat(fileno(opened), &information) == 0, information.st_mode & S_IFMT != S_IFDIR else {
      fclose(opened)
      throw MediaError(.unreadableFile, "\(path) is a folder. Give a file inside it.")
    }
    name = path
    file = opened
    canRewind = information.st_mode & S_IFMT == S_IFREG
  }

  deinit { fclose(file) }

  /// Up to `count` bytes that stay to be read.
  func peek(_ count: Int) throws(MediaError) -> [UInt8] {
    if peeked.count < count { peeked += try readDirectly(count - peeked.count) }
    return Array(peeked.prefix(count))
  }

  /// Exactly `count` bytes, or fewer at the end of the file.
  func read(_ count: Int) throws(MediaError) -> [UInt8] {
    let head = peeked.prefix(count)
    peeked.removeFirst(head.count)
    return head.count == count ? Array(head) : Array(head) + (try readDirectly(count - head.count))
  }

  /// Fills `target` and gives the number of bytes, fewer only at the end of the file.
  func read(into target: UnsafeMutablePointer<UInt8>, count: Int) throws(MediaError) -> Int {
    let head = peeked.prefix(count)
    peeked.removeFirst(head.count)
    for (index, byte) in head.enumerated() { target[index] = byte }
    let got = fread(target + head.count, 1, count - head.count, file)
    try check()
    return head.count + got
  }

  /// The bytes before the next line feed, which is read too; nil at the end of the file.
  ///
  /// Throws ``MediaError/Code/unsupportedFormat`` when no line feed comes within `limit` bytes.
  func readLine(limit: Int) throws(MediaError) -> [UInt8]? {
    var line: [UInt8] = []
    while line.count < limit {
      guard let byte = try read(1).first else {
        if line.isEmpty { return nil }
        throw MediaError(.truncatedFile, "\(name) ends in the middle of a header. Copy or make it again.")
      }
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    throw MediaError(.unsupportedFormat, "\(name) has a header line that does not end. It is not a Y4M file.")
  }

  /// Reading goes on at this byte.
  func rewind(to offset: Int) throws(MediaError) {
    peeked = []
    guard canRewind, fseek(file, offset, SEEK_SET) == 0 else {
      throw MediaError(.unreadableFile, "\(name) cannot be rewound. Play it without --loop.")
    }
  }

  private func readDirectly(_ count: Int) throws(MediaError) -> [UInt8] {
    guard count > 0 else { return [] }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = buffer.baseAddress.map { fread($0, 1, count, file) } ?? 0
    }
    try check()
    return bytes
  }

  private func check() throws(MediaError) {
    guard ferror(file) == 0 else {
      throw MediaError(.unreadableFile, "\(name) could not be read to its end: the disk or pipe failed.")
    }
  }
}
