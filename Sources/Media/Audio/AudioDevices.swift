internal import CALSA

/// The sound devices that ALSA knows.
public enum AudioDevices {
  public struct Device: Sendable, Equatable {
    /// The name that `--audio-device` takes.
    public let name: String
    public let description: String
  }

  /// Devices that can play, in ALSA's order.
  public static func playback() -> [Device] {
    confab_alsa_be_silent()
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return [] }
    defer { snd_device_name_free_hint(hints) }
    var devices: [Device] = []
    var index = 0
    while let hint = hints[index] {
      index += 1
      func text(_ id: String) -> String? {
        guard let value = snd_device_name_get_hint(hint, id) else { return nil }
        defer { free(value) }
        return String(cString: value)
      }
      // A missing direction means both.
      if let direction = text("IOID"), direction != "Output" { continue }
      guard let name = text("NAME") else { continue }
      let lines = (text("DESC") ?? "").split(separator: "\n").joined(separator: ", ")
      devices.append(Device(name: name, description: lines))
    }
    return devices
  }
}
