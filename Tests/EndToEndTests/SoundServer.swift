import Foundation
import Testing

/// A PulseAudio daemon with a null sink: a paced sound card without hardware, whose output can be recorded.
final class SoundServer {
  private let folder: URL
  private let daemon: Subprocess
  private var socket: String { "unix:\(folder.path)/native" }

  /// For programs that play: ALSA's `default` goes to the null sink.
  var environment: [String: String] {
    ["PULSE_SERVER": socket, "ALSA_CONFIG_PATH": folder.appendingPathComponent("asound.conf").path]
  }

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "confab-sound-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Without norewinds the null sink works in blocks of two seconds.
    let script = """
      load-module module-native-protocol-unix socket=\(folder.path)/native auth-anonymous=1
      load-module module-null-sink sink_name=out rate=48000 channels=2 format=s16le norewinds=1
      set-default-sink out
      """
    let scriptFile = folder.appendingPathComponent("start.pa")
    try script.write(to: scriptFile, atomically: true, encoding: .utf8)
    let alsa = """
      </usr/share/alsa/alsa.conf>
      pcm.!default { type plug slave.pcm { type pulse server "unix:\(folder.path)/native" } }
      ctl.!default { type pulse server "unix:\(folder.path)/native" }
      """
    try alsa.write(to: folder.appendingPathComponent("asound.conf"), atomically: true, encoding: .utf8)
    let home = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "PULSE_RUNTIME_PATH": folder.path]
    daemon = try Subprocess(
      "pulseaudio",
      [
        "-n", "-F", scriptFile.path, "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
        "--disallow-exit", "--realtime=no", "--high-priority=no",
      ], environment: home)
    let deadline = ContinuousClock.now + .seconds(10)
    while !(try await Subprocess.run("pactl", ["info"], environment: environment)).contains("Server Name") {
      if ContinuousClock.now > deadline { throw Timeout(description: "PulseAudio did not start\n\(daemon.transcript)") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Starts recording what is played: 48 kHz stereo, 16 bits.
  func record() throws -> Subprocess {
    try Subprocess(
      "parec", ["--device=out.monitor", "--rate=48000", "--channels=2", "--format=s16le", "--latency-msec=20"],
      environment: environment)
  }

  func stop() {
    daemon.send(SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }
}

/// Finds tones in recorded samples.
enum Tone {
  /// Left channel of interleaved 16-bit stereo.
  static func left(_ data: Data) -> [Double] {
    data.withUnsafeBytes { raw in
      let samples = raw.bindMemory(to: Int16.self)
      return stride(from: 0, to: samples.count - 1, by: 2).map { Double(samples[$0]) }
    }
  }

  /// Share of the signal's power that is at `frequency` (Goertzel), 0…1. A pure tone gives nearly 1.
  static func share(of frequency: Double, in samples: [Double], rate: Double = 48_000) -> Double {
    let power = samples.reduce(0) { $0 + $1 * $1 }
    guard power > 0 else { return 0 }
    let coefficient = 2 * cos(2 * Double.pi * frequency / rate)
    var (previous, older) = (0.0, 0.0)
    for sample in samples { (previous, older) = (sample + coefficient * previous - older, previous) }
    let magnitude = previous * previous + older * older - coefficient * previous * older
    return magnitude * 2 / (power * Double(samples.count))
  }

  static func rms(_ samples: [Double]) -> Double {
    samples.isEmpty ? 0 : (samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)).squareRoot()
  }
}
