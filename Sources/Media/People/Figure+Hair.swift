import Glibc

extension Figure {
  private var shine: Paint { Paint(from: hair.lighter(0.16), to: hair.darker(0.15)) }

  /// What lies behind neck and shoulders.
  func drawBackHair(_ picture: borrowing MutableI420) {
    switch appearance.hair {
    case .curls:
      var lumps = Outline.ellipse(Point(0, -0.32), Point(1.08, 0.98))
      for index in 0..<15 {
        let angle = Float(index) / 15 * 2 * .pi
        let at = Point(0, -0.3) + Point(cosf(angle) * 1.02, sinf(angle) * 0.95)
        lumps = lumps + .ellipse(at, Point(0.27, 0.26))
      }
      fillHead(lumps, shine, picture)
    case .bob:
      let shape = Outline.symmetric([
        Point(0, -1.2), Point(0.55, -1.1), Point(0.95, -0.65), Point(1.06, 0), Point(1.04, 0.55), Point(0.92, 0.86),
        Point(0.6, 0.8), Point(0, 0.5),
      ])
      fillHead(shape, shine, picture)
    case .long:
      let shape = Outline.symmetric([
        Point(0, -1.2), Point(0.55, -1.1), Point(0.94, -0.65), Point(1.02, 0.1), Point(1.08, 0.8), Point(1.16, 1.5),
        Point(0.9, 1.85), Point(0, 1.6),
      ])
      fillHead(shape, shine, picture)
    case .ponytail:
      let swing = pose.tilt * -1.2 + pose.facing.x * -0.06
      let tail = Outline.smooth([
        Point(0.3, -0.95), Point(0.85, -1.02), Point(1.22 + swing * 0.3, -0.5), Point(1.3 + swing, 0.3),
        Point(1.12 + swing, 1.0), Point(1 + swing * 0.8, 0.3), Point(0.86, -0.3),
      ])
      fillHead(tail, shine, picture)
      fillHead(.ellipse(Point(0.78, -0.86), Point(0.14, 0.16)), Paint(Tone(appearance.trimColour)), picture)
    case .bun:
      fillHead(.ellipse(Point(0.06, -1.2), Point(0.4, 0.36)), shine, picture)
      fillHead(.ellipse(Point(0.06, -1.2), Point(0.22, 0.17)), Paint(hair.lighter(0.12), opacity: 0.5), picture)
    case .scarf:
      let shape = Outline.symmetric([
        Point(0, -1.2), Point(0.6, -1.08), Point(0.98, -0.6), Point(1.04, 0.1), Point(0.98, 0.8), Point(1.0, 1.35),
        Point(0.6, 1.75), Point(0, 1.85),
      ])
      fillHead(shape, Paint(from: hair.lighter(0.05), to: hair.darker(0.3)), picture)
    case .bald, .short, .sidePart, .spiky, .flatTop: break
    }
  }

  /// What lies on the forehead and beside the face.
  func drawFrontHair(_ picture: borrowing MutableI420) {
    let shift = turn * 0.5
    switch appearance.hair {
    case .bald:
      fillHead(
        .ellipse(Point(-0.25, -0.72), Point(0.22, 0.1), angle: -0.4), Paint(skin.lighter(0.6), opacity: 0.5), picture)
    case .short, .bun, .ponytail:
      let low: Float = appearance.hair == .short ? 0.02 : -0.1
      let cap = Outline.symmetric([
        Point(0, -1.2), Point(0.5, -1.12), Point(0.84, -0.72), Point(0.9, -0.2), Point(0.84, low), Point(0.77, -0.25),
        Point(0.68, -0.52), Point(0.35, -0.68), Point(0, -0.7) + Point(0, shift.y),
      ])
      fillHead(cap, shine, picture)
      if appearance.hair != .short {
        let strand = Outline.arc(Point(-0.6, -0.82), Point(-0.1, -1.05), Point(0.5, -0.98))
        fillHead(.stroke(strand, width: 0.05, endWidth: 0.02), Paint(hair.lighter(0.4), opacity: 0.5), picture)
      }
    case .sidePart:
      let cap = Outline.smooth([
        Point(-0.84, 0), Point(-0.92, -0.4), Point(-0.84, -0.86), Point(-0.4, -1.22), Point(0.2, -1.3),
        Point(0.72, -1.05),
        Point(0.93, -0.55), Point(0.86, -0.05), Point(0.76, -0.35), Point(0.55, -0.6), Point(0.1, -0.62),
        Point(-0.4, -0.78),
        Point(-0.66, -0.55), Point(-0.76, -0.3),
      ])
      fillHead(cap, shine, picture)
      let part = Outline.arc(Point(-0.42, -0.8), Point(0.1, -1.0), Point(0.66, -0.74))
      fillHead(.stroke(part, width: 0.05, endWidth: 0.02), Paint(hair.lighter(0.45), opacity: 0.6), picture)
    case .spiky:
      var points: [Point] = [Point(-0.84, 0.02), Point(-0.92, -0.45)]
      for index in 0..<7 {
        let angle = Float.pi * (1.17 + Float(index) / 6 * 0.66)
        let outward = Point(cosf(angle) * 0.95, sinf(angle) * 1.05)
        points.append(outward * Point(1.12, 1.34) + Point(0, -0.02))
        if index < 6 {
          let next = Float.pi * (1.17 + (Float(index) + 0.55) / 6 * 0.66)
          points.append(Point(cosf(next) * 0.94, sinf(next) * 1.1))
        }
      }
      points += [
        Point(0.92, -0.45), Point(0.84, 0.02), Point(0.74, -0.36), Point(0.5, -0.5), Point(0.3, -0.74),
        Point(0.08, -0.52),
        Point(-0.18, -0.76), Point(-0.42, -0.5), Point(-0.74, -0.36),
      ]
      fillHead(.polygon(points), shine, picture)
    case .flatTop:
      let block = Outline.smooth([
        Point(-0.82, 0), Point(-0.9, -0.5), Point(-0.88, -1.12), Point(-0.72, -1.38), Point(0, -1.43),
        Point(0.72, -1.38),
        Point(0.88, -1.12), Point(0.9, -0.5), Point(0.82, 0), Point(0.75, -0.3), Point(0.64, -0.6), Point(0, -0.68),
        Point(-0.64, -0.6), Point(-0.75, -0.3),
      ])
      fillHead(block, shine, picture)
    case .curls:
      var fringe = Outline()
      for index in 0..<8 {
        let t = Float(index) / 7 * 2 - 1
        fringe = fringe + .ellipse(Point(t * 0.72, -0.84 + t * t * 0.3) + shift, Point(0.21, 0.2))
      }
      fillHead(fringe, Paint(hair.lighter(0.08)), picture)
    case .bob, .long:
      let isFringed = appearance.hair == .long
      // Two curtains beside the face, and a fringe or a parting.
      for side in [Float(-1), 1] {
        let curtain = Outline.smooth([
          Point(0, -1.18), Point(side * 0.6, -1.06), Point(side * 0.98, -0.5), Point(side * 1.03, 0.3),
          Point(side * 0.96, 0.88), Point(side * 0.8, 0.7), Point(side * 0.78, 0.1), Point(side * 0.62, -0.45),
          Point(side * 0.2, -0.82),
        ])
        fillHead(curtain, shine, picture)
      }
      if isFringed {
        let fringe = Outline.symmetric([
          Point(0, -1.12), Point(0.6, -0.98), Point(0.76, -0.5), Point(0.62, -0.36), Point(0.3, -0.44), Point(0, -0.42),
        ])
        fillHead(fringe, Paint(from: hair.lighter(0.14), to: hair), picture)
      }
      let gloss = Outline.arc(Point(-0.62, -0.72), Point(0, -1.02), Point(0.62, -0.72))
      fillHead(.stroke(gloss, width: 0.06), Paint(hair.lighter(0.5), opacity: 0.4), picture)
    case .scarf:
      let outer = Outline.mirrored([
        Point(0, -1.2), Point(0.6, -1.06), Point(0.95, -0.55), Point(0.98, 0.2), Point(0.84, 0.85), Point(0.5, 1.3),
        Point(0, 1.42),
      ])
      let inner = Outline.mirrored([
        Point(0, -0.66), Point(0.45, -0.56), Point(0.7, -0.2), Point(0.72, 0.25), Point(0.56, 0.7), Point(0.3, 0.95),
        Point(0, 1.01),
      ])
      let hole = Outline(contours: Outline.smooth(inner).contours.map { $0.reversed() })
      fillHead(.smooth(outer) + hole, Paint(from: hair.lighter(0.25), to: hair.darker(0.12)), picture)
      let fold = Outline.arc(Point(0.86, 0.1), Point(0.72, 0.95), Point(-0.35, 1.3))
      fillHead(.stroke(fold, width: 0.05, endWidth: 0.02), Paint(hair.darker(0.35), opacity: 0.7), picture)
    }
  }

  func drawExtras(_ picture: borrowing MutableI420) {
    if appearance.extras.contains(.glasses) {
      let frame = Paint(Tone(0x2a_22_28))
      for side in [Float(-1), 1] {
        let centre = Point(side * 0.32, 0.04) + turn
        fillHead(.ellipse(centre, Point(0.25, 0.24)), Paint(Tone(0xff_ff_ff), opacity: 0.12), picture)
        fillHead(.ring(centre, Point(0.27, 0.26), width: 0.05), frame, picture)
        fillHead(.stroke([centre + Point(side * 0.26, -0.04), Point(side * 0.8, -0.06)], width: 0.045), frame, picture)
      }
      let bridge = Outline.arc(Point(-0.07, 0) + turn, Point(0, -0.06) + turn, Point(0.07, 0) + turn)
      fillHead(.stroke(bridge, width: 0.05), frame, picture)
    }
    if appearance.extras.contains(.earrings) {
      for side in [Float(-1), 1] {
        let lobe = Point(side * 0.84 - turn.x * 0.5, 0.36)
        fillHead(.ring(lobe + Point(0, 0.05), Point(0.085, 0.1), width: 0.04), Paint(Tone(0xff_d2_4a)), picture)
      }
    }
    if appearance.extras.contains(.headphones) {
      let band =
        Outline.arc(Point(-0.92, -0.05), Point(-0.86, -1.42), Point(0, -1.36))
        + Outline.arc(Point(0, -1.36), Point(0.86, -1.42), Point(0.92, -0.05)).dropFirst()
      fillHead(.stroke(band, width: 0.11), Paint(from: Tone(0x4a_50_60), to: Tone(0x22_26_30)), picture)
      for side in [Float(-1), 1] {
        fillHead(
          .ellipse(Point(side * 0.9, 0.08), Point(0.2, 0.3)), Paint(from: Tone(0x3a_40_50), to: Tone(0x1c_20_2a)),
          picture)
        fillHead(.ellipse(Point(side * 0.93, 0.08), Point(0.1, 0.18)), Paint(Tone(0x38_c8_e8)), picture)
      }
    }
  }
}
