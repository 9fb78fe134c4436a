import Conference
import ConferenceClient

/// Watches every source of a stream: `watch-stream millicast://ACCOUNT/STREAM [TOKEN]`.
@main
struct WatchStream {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    let stream = try await RoomConnection.join(url: words.first ?? "", token: words.dropFirst().first)
    // Every source is subscribed by itself; what happens to them comes as differences.
    for await event in stream.events {
      switch event {
      case .changed(let now, let changes):
        for change in changes {
          switch change {
          case .trackSubscribed(let source, let track): print("\(source): \(track.kind.rawValue) is received")
          case .activity(let source, let track) where track.kind == .video:
            print("\(source): \(track.isActive ? "active" : "inactive")")
          case .layers(let source, let track) where track.layers.count > 1:
            // Small pictures of everybody, and the best of the main source, which goes by the stream's name.
            let layer: LayerID = source.raw == now.name ? .high : .low
            await stream.perform(.requestLayer(track.id, .layer(layer)))
          default: break
          }
        }
      case .firstFrame(let source, let track, let width, let height, _):
        print("\(source): shows \(width)x\(height)")
        // Pictures are taken from here whenever one is wanted, scaled to where it is shown.
        stream.video(track)?.setTarget(width: 96, height: 54)
      case .layerChanged(let source, _, let layer, let width, let height):
        print("\(source): layer \(layer.rawValue), \(width)x\(height)")
      case .left(let reason): print("left: \(reason.rawValue)")
      case .subscriptionFailed(_, _, let message): print(message)
      case .published, .publishFailed: break
      }
    }
  }
}
