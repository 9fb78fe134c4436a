internal import CYUV

/// Draws one synthetic person, a picture at a time. One owner, one thread at a time.
///
/// The room behind is drawn once and copied; the figure is filled into the copy from back to front.
public final class PersonPainter {
  public let appearance: PersonAppearance
  let rasteriser: Rasteriser
  private let backdrop: I420Buffer
  private let pool: I420Pool
  private let width: Int
  private let height: Int
  /// From picture heights, x counted from the middle, to pixels.
  let room: Placement

  /// `width` and `height` must lie in ``I420Layout/sides``; figures are made for 16:9.
  public init(_ appearance: PersonAppearance, width: Int, height: Int, pool: I420Pool = I420Pool(capacity: 4)) {
    self.appearance = appearance
    self.width = width
    self.height = height
    self.pool = pool
    rasteriser = Rasteriser(width: width, height: height)
    room = Placement(origin: Point(Float(width) / 2, 0), scale: Point(Float(height), Float(height)))
    let picture = MutableI420(width: width, height: height)
    BackdropPainter(rasteriser: rasteriser, room: room, half: Float(width) / Float(height) / 2)
      .draw(appearance, into: picture)
    backdrop = picture.finish()
  }

  /// The person at a moment.
  ///
  /// - Parameters:
  ///   - time: since the person began, from zero up; movements are a function of it.
  ///   - mouthOpen: 0 closed … 1 wide, from ``Voice/Slice/mouthOpen``.
  ///   - isHandRaised: holds a hand up until told otherwise; now and then they do it by themselves.
  ///   - stamp: written into the lowest rows.
  public func draw(
    time: Duration, mouthOpen: Double, isHandRaised: Bool = false, stamp: FrameStamp? = nil
  ) -> I420Buffer {
    let picture = MutableI420(width: width, height: height, pool: pool)
    I420Copy(
      backdrop.pointer(to: .y), backdrop.stride(of: .y), backdrop.pointer(to: .u), backdrop.stride(of: .u),
      backdrop.pointer(to: .v), backdrop.stride(of: .v), picture.pointer(to: .y), picture.stride(of: .y),
      picture.pointer(to: .u), picture.stride(of: .u), picture.pointer(to: .v), picture.stride(of: .v),
      Int32(width), Int32(height))
    let opening = Float(max(0, min(mouthOpen, 1)))
    let pose = PersonPose(
      seed: appearance.seed,
      time: max(0, Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18),
      mouthOpen: opening, isHandRaised: isHandRaised)
    Figure(painter: self, pose: pose, mouthOpen: opening).draw(into: picture)
    stamp?.write(into: picture)
    return picture.finish()
  }
}

/// One person in one pose. Head shapes are in units of half a head's height about the middle of the face.
struct Figure {
  let painter: PersonPainter
  let pose: PersonPose
  let mouthOpen: Float
  let head: Placement
  let skin: Tone
  let hair: Tone

  static let headSize: Float = 0.262
  static let headCentre = Point(0, 0.46)
  static let neckBase = Point(0, 0.8)

  init(painter: PersonPainter, pose: PersonPose, mouthOpen: Float) {
    self.painter = painter
    self.pose = pose
    self.mouthOpen = mouthOpen
    let appearance = painter.appearance
    skin = Tone(appearance.skin)
    hair = Tone(appearance.hairColour)
    let centre = Self.neckBase + (Self.headCentre - Self.neckBase).rotated(by: pose.tilt) + pose.head
    let size = Self.headSize * painter.room.scale.y
    head = Placement(
      origin: painter.room(centre), scale: Point(size * Float(appearance.headWidth), size), angle: pose.tilt)
  }

  var appearance: PersonAppearance { painter.appearance }
  /// How far what lies on the face moves when it turns.
  var turn: Point { Point(pose.facing.x * 0.09, pose.facing.y * 0.05) }

  func draw(into picture: borrowing MutableI420) {
    drawBackHair(picture)
    drawBody(picture)
    drawHead(picture)
    drawFace(picture)
    drawFrontHair(picture)
    drawExtras(picture)
    drawHand(picture)
  }

  /// Fills an outline in head units.
  func fillHead(_ outline: Outline, _ paint: Paint, _ picture: borrowing MutableI420) {
    painter.rasteriser.fill(outline.placed(head), paint, into: picture)
  }
  /// Fills an outline in picture heights.
  func fillRoom(_ outline: Outline, _ paint: Paint, _ picture: borrowing MutableI420) {
    painter.rasteriser.fill(outline.placed(painter.room), paint, into: picture)
  }

  private func drawHead(_ picture: borrowing MutableI420) {
    if appearance.hair != .scarf {
      for side in [Float(-1), 1] {
        let ear = Point(side * 0.79 - turn.x * 0.5, 0.1)
        fillHead(.ellipse(ear, Point(0.13, 0.2), angle: side * 0.15), Paint(skin.darker(0.1)), picture)
        fillHead(.ellipse(ear + Point(side * -0.02, 0), Point(0.06, 0.11)), Paint(skin.darker(0.25)), picture)
      }
    }
    let shape = Outline.symmetric([
      Point(0, -1), Point(0.42, -0.94), Point(0.71, -0.62), Point(0.8, -0.12), Point(0.76, 0.3), Point(0.6, 0.68),
      Point(0.31, 0.95), Point(0, 1.02),
    ])
    fillHead(shape, Paint(from: skin.lighter(0.1), to: skin.darker(0.1)), picture)
    for side in [Float(-1), 1] {
      let cheek = Point(side * 0.47, 0.4) + turn
      let blush = skin.mixed(with: Tone(0xe8_50_50), 0.4)
      fillHead(.ellipse(cheek, Point(0.17, 0.12)), Paint(blush, opacity: 0.28), picture)
      fillHead(.ellipse(cheek, Point(0.11, 0.075)), Paint(blush, opacity: 0.28), picture)
    }
  }
}
