import RTCCore
import Signalling

/// Rules for an offer that comes over HTTP. There it is taken whole or not at all: nobody could tell the sender later which
/// of its tracks nobody gets (RFC 9725 §4.4.2).
enum StreamOffer {
  enum Role: Equatable { case publisher, player }

  /// Most audio and video sections of a publisher. Cameras, a screen and their sound; more is a mistake.
  static let maximumSections = 8

  static func read(_ text: String, from role: Role) throws(OfferRefusal) -> SessionDescription {
    let offer: SessionDescription
    do { offer = try SessionDescription(parsing: text) } catch { throw .unreadable(error) }
    let sections = offer.media.filter { !$0.isRejected }
    let media = sections.filter { $0.kind.mediaKind != nil }
    guard !media.isEmpty else { throw .noMedia }
    guard role == .player || media.count <= maximumSections else { throw .tooManySections(media.count) }
    for section in sections where section.kind != .application { try check(section, role) }
    let mids = sections.compactMap(\.mid)
    guard mids.count == sections.count else { throw .missing("mid") }
    // One transport carries everything here.
    guard sections.count == 1 || offer.bundleGroups.contains(where: { Set($0).isSuperset(of: mids) }) else {
      throw .notBundled
    }
    do { _ = try RemoteEnd(reading: offer) } catch {
      switch error {
      case .missing(let what): throw .missing(what)
      case .unreadable(let reason): throw .unreadable(reason)
      case .sectionsDiffer: throw .noMedia
      }
    }
    return offer
  }

  private static func check(_ section: MediaSection, _ role: Role) throws(OfferRefusal) {
    guard let kind = section.kind.mediaKind, section.isRTP else { throw .unknownSection(section.kind.name) }
    guard section.multiplexesRTCP else { throw .missing("rtcp-mux") }
    let flows = role == .publisher ? section.direction.sends : section.direction.receives
    guard flows else { throw .wrongDirection(kind, role) }
    guard section.payload(encoding: codec(of: kind)) != nil else {
      throw .noUsableCodec(kind, offered: section.payloads.map(\.encodingName).filter { !$0.isEmpty })
    }
  }

  /// The codec that is forwarded.
  static func codec(of kind: MediaKind) -> String { kind == .video ? "VP8" : "opus" }
}

/// Why an offer over HTTP is not taken.
enum OfferRefusal: Error, Equatable {
  case unreadable(SDPError)
  case missing(String)
  case noMedia
  case tooManySections(Int)
  case unknownSection(String)
  case notBundled
  case wrongDirection(MediaKind, StreamOffer.Role)
  case noUsableCodec(MediaKind, offered: [String])

  /// 400 for what is no proper offer, 422 for one that this server cannot satisfy (RFC 9725 §4.4.2).
  var problem: ProblemDetails {
    switch self {
    case .unreadable(let error):
      ProblemDetails(400, "The offer is not a session description that can be read: \(error).")
    case .missing(let what): ProblemDetails(400, "The offer lacks \(what), without which WebRTC does not work.")
    case .noMedia: ProblemDetails(422, "The offer has neither audio nor video.")
    case .tooManySections(let count):
      ProblemDetails(
        422, "The offer has \(count) sections of audio and video; at most \(StreamOffer.maximumSections) are taken.")
    case .unknownSection(let kind):
      ProblemDetails(422, "The offer has a section “\(kind)”; only audio and video over RTP are taken.")
    case .notBundled:
      ProblemDetails(422, "The offer's sections are not in one BUNDLE group; use the bundle policy max-bundle.")
    case .wrongDirection(let kind, .publisher):
      ProblemDetails(422, "The offer's \(kind.rawValue) does not send; a publisher offers sendonly.")
    case .wrongDirection(let kind, .player):
      ProblemDetails(422, "The offer's \(kind.rawValue) does not receive; a player offers recvonly.")
    case .noUsableCodec(let kind, let offered):
      ProblemDetails(
        422,
        "This server forwards \(kind == .video ? "VP8" : "Opus") only, and the offer's \(kind.rawValue) has "
          + "\(Self.list(offered)). Set the \(kind == .video ? "video encoder to VP8" : "audio encoder to Opus")."
      )
    }
  }

  private static func list(_ codecs: [String]) -> String {
    let auxiliary: Set<String> = ["rtx", "red", "ulpfec", "flexfec-03", "telephone-event", "cn"]
    var names: [String] = []
    // Names of codecs are visible ASCII (RFC 4855 §4); whoever has others is not quoted.
    let readable = codecs.filter { $0.utf8.count <= 20 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    for name in readable where !auxiliary.contains(name.lowercased()) && !names.contains(name) { names.append(name) }
    return names.isEmpty ? "no codec that it names" : names.prefix(6).joined(separator: ", ")
  }
}
