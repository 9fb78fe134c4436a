internal import COpus
internal import CVPX

/// The codec libraries that this process runs with.
public enum MediaLibraries {
  /// Name and version of each, as the libraries tell it.
  public static var versions: [String] {
    ["libvpx \(String(cString: vpx_codec_version_str()))", String(cString: opus_get_version_string())]
  }
}
