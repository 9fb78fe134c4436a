import Conference
import RTCCore

/// How a server's layers are written. Servers before autumn 2024, Millicast's among them, say `encodingId` for what is `rid`
/// now, put layers under `active` and `inactive`, and take back a choice by DELETE.
enum WHEPLayerDialect: Equatable, Sendable { case current, older }

/// One layer of a video section, as the event `layers` lists it.
struct WHEPLayer: Equatable, Sendable {
  /// `rid`, or `encodingId` in the older dialect.
  var encoding: String?
  var spatialLayer: Int?
  var width = 0
  var height = 0
  var bitrate = 0
  var isActive = true
}

/// The layers of all sections, by the section's place in the descriptions.
struct WHEPLayers: Equatable, Sendable {
  var dialect: WHEPLayerDialect
  /// Lowest first.
  var sections: [Int: [WHEPLayer]]

  /// Most layers of a section; more is made up.
  private static let maximumLayers = 16

  /// Reads the data of an event; nil when it is of neither dialect.
  init?(_ value: JSONValue) {
    let medias = value["medias"].isNull ? value : value["medias"]
    guard case .object(let members) = medias else { return nil }
    dialect = value["medias"].isNull ? .current : .older
    sections = [:]
    for (key, value) in members {
      guard let index = Int(key), (0..<SessionDescription.maximumSections).contains(index) else { continue }
      if case .object = value {
        dialect = .older
        sections[index] = Self.older(value)
      } else {
        if value.elements.contains(where: { !$0["encodingId"].isNull }) { dialect = .older }
        sections[index] = Self.merged(value.elements.prefix(Self.maximumLayers * 8).compactMap { Self.layer($0) })
      }
    }
    guard !sections.isEmpty || members.isEmpty else { return nil }
  }

  /// `active` has the encodings that flow with their sizes, `inactive` the others, `layers` the ways to cut them down.
  private static func older(_ value: JSONValue) -> [WHEPLayer] {
    var layers: [WHEPLayer] = []
    for (name, isActive) in [("active", true), ("inactive", false)] {
      for item in value[name].elements.prefix(maximumLayers) {
        guard let id = text(item["id"]) ?? text(item["encodingId"]) else { continue }
        var layer = layer(item, encoding: id)
        layer.isActive = isActive
        layers.append(layer)
      }
    }
    if layers.isEmpty { layers = value["layers"].elements.prefix(maximumLayers * 8).compactMap { layer($0) } }
    return merged(layers)
  }

  private static func layer(_ item: JSONValue) -> WHEPLayer? {
    let encoding = text(item["rid"]) ?? text(item["encodingId"])
    let layer = layer(item, encoding: encoding)
    return layer.encoding == nil && layer.spatialLayer == nil && item["temporalLayerId"].isNull ? nil : layer
  }

  private static func layer(_ item: JSONValue, encoding: String?) -> WHEPLayer {
    var layer = WHEPLayer(encoding: encoding)
    // 255 says that there are no spatial layers.
    layer.spatialLayer = item["spatialLayerId"].integer(in: 0...254)
    layer.width = item["width"].integer(in: 0...65_535) ?? 0
    layer.height = item["height"].integer(in: 0...65_535) ?? 0
    layer.bitrate = item["bitrate"].integer(in: 0...1 << 30) ?? 0
    // A layer that says nothing of its rate does not flow (draft-ietf-wish-whep-events §3.3).
    layer.isActive = layer.bitrate > 0
    return layer
  }

  /// Numbers are names too.
  private static func text(_ value: JSONValue) -> String? {
    let text = value.textValue ?? value.integerValue.map(String.init)
    return text.flatMap { $0.isEmpty || $0.utf8.count > 64 ? nil : $0 }
  }

  /// One of each encoding and spatial layer: temporal layers make the same picture less often. Lowest first.
  private static func merged(_ layers: [WHEPLayer]) -> [WHEPLayer] {
    var result: [WHEPLayer] = []
    for layer in layers {
      if let index = result.firstIndex(where: {
        $0.encoding == layer.encoding && $0.spatialLayer == layer.spatialLayer
      }) {
        result[index].isActive = result[index].isActive || layer.isActive
        result[index].bitrate = max(result[index].bitrate, layer.bitrate)
        result[index].width = max(result[index].width, layer.width)
        result[index].height = max(result[index].height, layer.height)
      } else if result.count < maximumLayers {
        result.append(layer)
      }
    }
    return result.sorted { ($0.height, $0.width, $0.bitrate) < ($1.height, $1.width, $1.bitrate) }
  }

  /// What a room calls them: up to three, the least, the best, and one between.
  static func named(_ layers: [WHEPLayer]) -> [(id: LayerID, layer: WHEPLayer)] {
    switch layers.count {
    case 0: []
    case 1: [(.high, layers[0])]
    case 2: [(.low, layers[0]), (.high, layers[1])]
    default: [(.low, layers[0]), (.medium, layers[layers.count / 2]), (.high, layers[layers.count - 1])]
    }
  }

  /// The layer that somebody asks for: by name, or the least that covers a size in pixels; nil when that cannot be told.
  static func choice(_ request: LayerRequest, of layers: [WHEPLayer]) -> WHEPLayer? {
    guard layers.count > 1 else { return nil }
    switch request {
    case .layer(let id):
      let named = named(layers)
      return named.first { $0.id == id }?.layer ?? named.first { $0.id > id }?.layer ?? layers.last
    case .size(let width, let height):
      let flowing = layers.filter(\.isActive)
      guard flowing.contains(where: { $0.height > 0 }) else { return nil }
      return flowing.first { $0.width * 10 >= width * 9 && $0.height * 10 >= height * 9 } ?? flowing.last
    case .automatic, .off: return nil
    }
  }

  /// The body that chooses a layer.
  func selection(of layer: WHEPLayer, section: Int) -> JSONValue {
    var members: [String: JSONValue] = ["mediaId": .text(String(section))]
    if let encoding = layer.encoding { members[dialect == .current ? "rid" : "encodingId"] = .text(encoding) }
    if let spatial = layer.spatialLayer { members["spatialLayerId"] = .integer(Int64(spatial)) }
    return .object(members)
  }
}
