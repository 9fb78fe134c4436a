import Conference
import Media

/// Which layers a picture of a given size is sent in.
public enum LayerPlan {
  /// Full, half and quarter size where the quarter is still worth looking at, else one layer.
  ///
  /// - Returns: layers lowest first, with even sides and bit rates that keep VP8 clean at these sizes.
  public static func simulcast(width: Int, height: Int, framesPerSecond: Int) -> [SimulcastEncoder.Layer] {
    let divisors = width >= 480 ? [4, 2, 1] : [1]
    return divisors.map { layer(width: width / $0, height: height / $0, framesPerSecond: framesPerSecond) }
  }

  /// One layer of the picture's own size.
  public static func single(width: Int, height: Int, framesPerSecond: Int) -> [SimulcastEncoder.Layer] {
    [layer(width: width, height: height, framesPerSecond: framesPerSecond)]
  }

  /// Names for `count` layers, lowest first; a single layer is the best there is.
  public static func names(count: Int) -> [LayerID] {
    Array(LayerID.allCases.suffix(max(1, min(LayerID.allCases.count, count))))
  }

  private static func layer(width: Int, height: Int, framesPerSecond: Int) -> SimulcastEncoder.Layer {
    let (width, height) = (max(2, width & ~1), max(2, height & ~1))
    // A tenth of a bit a pixel suits VP8 for moving heads; small pictures need more to stay readable.
    let bitrate = width * height * framesPerSecond / 10
    return SimulcastEncoder.Layer(width: width, height: height, bitrate: min(3_000_000, max(80_000, bitrate)))
  }
}
