/// What a synthetic person looks and sounds like. Colours are 0xRRGGBB.
public struct PersonAppearance: Hashable, Sendable {
  public enum Hair: String, Hashable, Sendable, CaseIterable {
    case bald, short, sidePart, spiky, flatTop, curls, bob, long, bun, ponytail, scarf
  }
  public enum Beard: String, Hashable, Sendable, CaseIterable { case none, moustache, full }
  public enum Garment: String, Hashable, Sendable, CaseIterable { case crewNeck, turtleneck, shirt, hoodie, stripes }
  public enum Extra: String, Hashable, Sendable, CaseIterable {
    case glasses, headphones, earrings, freckles, bindi
  }
  public enum Backdrop: String, Hashable, Sendable, CaseIterable {
    case plain, shelf, window, night, plant, picture, lamp
  }

  public var skin: UInt32
  public var hair: Hair
  public var hairColour: UInt32
  public var eyeColour: UInt32
  public var lipColour: UInt32
  public var beard: Beard
  public var garment: Garment
  public var garmentColour: UInt32
  public var trimColour: UInt32
  public var extras: Set<Extra>
  public var backdrop: Backdrop
  public var backdropColour: UInt32
  /// Width of the head in its usual ones; about 0.9…1.1.
  public var headWidth: Double
  public var voice: VoiceCharacter
  /// Tells their movements and words from everyone else's.
  public var seed: UInt64

  public init(
    skin: UInt32, hair: Hair, hairColour: UInt32, eyeColour: UInt32 = 0x4a_2e_1a, lipColour: UInt32 = 0xb8_4a_4a,
    beard: Beard = .none, garment: Garment, garmentColour: UInt32, trimColour: UInt32, extras: Set<Extra> = [],
    backdrop: Backdrop, backdropColour: UInt32, headWidth: Double = 1, voice: VoiceCharacter, seed: UInt64
  ) {
    self.skin = skin
    self.hair = hair
    self.hairColour = hairColour
    self.eyeColour = eyeColour
    self.lipColour = lipColour
    self.beard = beard
    self.garment = garment
    self.garmentColour = garmentColour
    self.trimColour = trimColour
    self.extras = extras
    self.backdrop = backdrop
    self.backdropColour = backdropColour
    self.headWidth = headWidth
    self.voice = voice
    self.seed = seed
  }
}

/// Somebody who does not exist, with a name, a face and a voice.
public struct Person: Hashable, Sendable {
  public var name: String
  public var appearance: PersonAppearance

  public init(name: String, appearance: PersonAppearance) {
    self.name = name
    self.appearance = appearance
  }

  /// Name in lower-case ASCII, as an identity in a room.
  public var identity: String {
    let ascii = name.lowercased().unicodeScalars.map { $0 == "ö" ? "o" : $0 == "é" ? "e" : Character($0) }
    return String(ascii.filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }
}
