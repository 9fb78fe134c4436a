extension Figure {
  private var lift: Point { Point(pose.head.x * 0.3, -pose.breath * 0.006) }

  func drawBody(_ picture: borrowing MutableI420) {
    let garment = Tone(appearance.garmentColour)
    let trim = Tone(appearance.trimColour)
    let neckTop = Self.headCentre + Point(pose.head.x, 0.18)
    let neck = Outline.smooth([
      neckTop + Point(-0.085, 0), neckTop + Point(0.085, 0), Point(0.088, 0.76), Point(0.13, 0.85), Point(0, 0.93),
      Point(-0.13, 0.85), Point(-0.088, 0.76),
    ])
    fillRoom(neck, Paint(from: skin.darker(0.3), to: skin.darker(0.08)), picture)

    if appearance.garment == .hoodie {
      let hood = Outline.symmetric([
        Point(0, 0.72), Point(0.15, 0.735), Point(0.25, 0.79), Point(0.27, 0.87), Point(0.15, 0.95), Point(0, 0.97),
      ]).contours.map { $0.map { $0 + lift } }
      fillRoom(Outline(contours: hood), Paint(from: garment.darker(0.35), to: garment.darker(0.15)), picture)
      fillRoom(neck, Paint(from: skin.darker(0.3), to: skin.darker(0.08)), picture)
    }

    let opening: Float = appearance.garment == .shirt ? 0.93 : appearance.garment == .turtleneck ? 0.8 : 0.875
    let shoulders = Outline.smooth(
      [
        Point(0, opening), Point(0.08, opening - 0.04), Point(0.125, 0.8), Point(0.22, 0.822), Point(0.35, 0.862),
        Point(0.435, 0.93), Point(0.475, 1.06), Point(0.4, 1.2), Point(-0.4, 1.2), Point(-0.475, 1.06),
        Point(-0.435, 0.93), Point(-0.35, 0.862), Point(-0.22, 0.822), Point(-0.125, 0.8), Point(-0.08, opening - 0.04),
      ].map { $0 + lift })
    fillRoom(shoulders, Paint(from: garment.lighter(0.12), to: garment.darker(0.22)), picture)

    switch appearance.garment {
    case .crewNeck:
      let collar = Outline.arc(Point(-0.125, 0.8), Point(0, 0.965), Point(0.125, 0.8)).map { $0 + lift }
      fillRoom(.stroke(collar, width: 0.024), Paint(trim), picture)
    case .turtleneck:
      let roll = Outline.smooth(
        [
          Point(-0.105, 0.735), Point(0, 0.755), Point(0.105, 0.735), Point(0.125, 0.8), Point(0.1, 0.85),
          Point(0, 0.872),
          Point(-0.1, 0.85), Point(-0.125, 0.8),
        ].map { $0 + lift })
      fillRoom(roll, Paint(from: garment.lighter(0.22), to: trim), picture)
    case .shirt:
      for side in [Float(-1), 1] {
        let flap = Outline.polygon(
          [
            Point(side * 0.105, 0.765), Point(side * 0.15, 0.815), Point(side * 0.1, 0.925), Point(side * 0.012, 0.935),
            Point(side * 0.09, 0.85),
          ].map { $0 + lift })
        fillRoom(flap, Paint(from: trim, to: trim.mixed(with: garment, 0.25)), picture)
      }
      fillRoom(.box(Point(-0.006, 0.94), Point(0.006, 1)), Paint(garment.darker(0.3)), picture)
    case .hoodie:
      let collar = Outline.arc(Point(-0.135, 0.795), Point(0, 0.985), Point(0.135, 0.795)).map { $0 + lift }
      fillRoom(.stroke(collar, width: 0.036), Paint(garment.lighter(0.2)), picture)
      for side in [Float(-1), 1] {
        let cord = [Point(side * 0.075, 0.88), Point(side * 0.085, 0.93), Point(side * 0.08, 1)].map { $0 + lift }
        fillRoom(.stroke(cord, width: 0.013), Paint(trim), picture)
      }
    case .stripes:
      for row in 0..<3 {
        let y = 0.868 + Float(row) * 0.055
        let reach: Float = [0.325, 0.43, 0.465][row]
        let stripe = Outline.arc(Point(-reach, y + 0.02), Point(0, y + 0.085), Point(reach, y + 0.02), count: 13)
        // The neck's opening cuts the uppermost in two.
        if row == 0 {
          fillRoom(.stroke(stripe.prefix(4).map { $0 + lift }, width: 0.022), Paint(trim), picture)
          fillRoom(.stroke(stripe.suffix(4).map { $0 + lift }, width: 0.022), Paint(trim), picture)
        } else {
          fillRoom(.stroke(stripe.map { $0 + lift }, width: 0.022), Paint(trim), picture)
        }
      }
      let collar = Outline.arc(Point(-0.125, 0.8), Point(0, 0.96), Point(0.125, 0.8)).map { $0 + lift }
      fillRoom(.stroke(collar, width: 0.02), Paint(trim), picture)
    }
    // The chin's shadow.
    fillRoom(
      .ellipse(Self.headCentre + Point(pose.head.x, 0.285), Point(0.088, 0.04)),
      Paint(skin.darker(0.5), opacity: appearance.garment == .turtleneck ? 0 : 0.35), picture)
  }

  func drawHand(_ picture: borrowing MutableI420) {
    guard pose.hand > 0.01 else { return }
    let side: Float = pose.isLeftHand ? -1 : 1
    let elbow = Point(side * 0.5, 1.12)
    let raised = Point(side * 0.55, 0.66)
    let lowered = Point(side * 0.56, 1.25)
    let wrist = lowered + (raised - lowered) * pose.hand
    let garment = Tone(appearance.garmentColour)
    fillRoom(
      .stroke([elbow, (elbow + wrist) / 2, wrist], width: 0.15, endWidth: 0.1),
      Paint(from: garment.lighter(0.15), to: garment.darker(0.15)), picture)
    fillRoom(
      .stroke([wrist + Point(-0.045, 0.005), wrist + Point(0.045, 0.005)], width: 0.03),
      Paint(Tone(appearance.trimColour)), picture)
    let palm = Placement(origin: wrist + Point(0, -0.02), angle: pose.wave + side * 0.12)
    let fingers: [(Float, Float)] = [(-0.042, 0.075), (-0.015, 0.095), (0.014, 0.092), (0.041, 0.07)]
    let outline = skin.darker(0.28)
    for grow in [Float(0.008), 0] {
      let paint = grow > 0 ? Paint(outline) : Paint(from: skin.lighter(0.08), to: skin.darker(0.03))
      for (x, length) in fingers {
        let from = Point(x, -0.07)
        let to = Point(x * 1.35, -0.08 - length)
        fillRoom(.stroke([from, to], width: 0.026 + grow, endWidth: 0.022 + grow).placed(palm), paint, picture)
      }
      let thumb = [Point(side * -0.04, -0.04), Point(side * -0.085, -0.085)]
      fillRoom(.stroke(thumb, width: 0.03 + grow, endWidth: 0.024 + grow).placed(palm), paint, picture)
      fillRoom(.ellipse(Point(0, -0.05), Point(0.056 + grow / 2, 0.06 + grow / 2)).placed(palm), paint, picture)
    }
  }
}
