import Conference
import Foundation
import Glibc
import Synchronization
import Terminal

/// Carries the figures of a screen from the terminal thread to whoever asked for them.
final class ReportBox: Sendable {
  private let figures = Mutex<[(String, JSON)]>([])

  /// Call it on the terminal thread.
  func set(_ session: TerminalSession, _ screen: ViewerScreen) {
    let statistics = session.statistics
    let link = session.link
    let delays = screen.delays
    var fields: [(String, JSON)] = [
      ("frames_presented", .number(statistics.framesPresented)), ("frames_skipped", .number(statistics.framesSkipped)),
      ("pictures_skipped", .number(statistics.picturesSkipped)), ("bytes_written", .number(statistics.bytesWritten)),
      ("encode_ms", .decimal(statistics.encodeTime.inMilliseconds)), ("link_level", .number(link.step)),
      ("delays", .number(delays.count)),
    ]
    if let rate = link.bytesPerSecond { fields.append(("link_bytes_per_s", .number(rate))) }
    fields += Self.percentiles("capture_to_write", delays) + Self.percentiles("packet_to_write", screen.packetDelays)
    if let least = screen.rates.values.compactMap({ $0.percentile(0.5) }).min() {
      fields.append(("tile_fps_least", .decimal(least)))
    }
    figures.withLock { [fields] in $0 = fields }
  }

  private static func percentiles(_ name: String, _ values: Distribution) -> [(String, JSON)] {
    guard let median = values.percentile(0.5), let tail = values.percentile(0.95) else { return [] }
    return [(name + "_ms", .decimal(median)), (name + "_p95_ms", .decimal(tail))]
  }

  /// Most memory that was resident at once, in KiB. The figure of getrusage(2) will not do: it begins with that of the
  /// process that started this one.
  private static var peakMemory: Double? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Double($0.filter(\.isNumber)) }
  }

  /// Adds what the kernel counted about the process, and writes one line.
  func write(to path: String) throws(ConferenceError) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let memory = Self.peakMemory.map { [("memory_mb", JSON.decimal($0 / 1_024))] } ?? []
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    let fields =
      figures.withLock { $0 } + [
        ("cpu_s", .decimal(seconds(usage.ru_utime) + seconds(usage.ru_stime)))
      ] + memory
    // Not by way of a second file that is renamed: the path may name a pipe or a device.
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    var reason = file < 0 ? errno : StandardOutput.write(Array((JSON.object(fields).text + "\n").utf8), to: file)
    if file >= 0, close(file) != 0, reason == 0 { reason = errno }
    guard reason != 0 else { return }
    throw ConferenceError(
      .unreadableFile,
      "The figures cannot be written to \(path): \(String(cString: strerror(reason))). Name another file with --stats.")
  }
}
