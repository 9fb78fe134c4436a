import Glibc

extension Figure {
  func drawFace(_ picture: borrowing MutableI420) {
    if appearance.extras.contains(.freckles) { drawFreckles(picture) }
    drawBeard(picture)
    drawNose(picture)
    drawMouth(picture)
    for side in [Float(-1), 1] {
      drawEye(side, picture)
      drawBrow(side, picture)
    }
    if appearance.extras.contains(.bindi) {
      fillHead(.ellipse(Point(0, -0.33) + turn, Point(0.045, 0.05)), Paint(Tone(0xd0_20_40)), picture)
    }
  }

  private func drawEye(_ side: Float, _ picture: borrowing MutableI420) {
    let centre = Point(side * 0.315, 0.03) + turn
    let radii = Point(0.165, 0.175)
    fillHead(.ellipse(centre, radii), Paint(from: Tone(0xe9_e6_e4), to: Tone(0xff_ff_ff)), picture)
    let iris = centre + pose.gaze * Point(0.055, 0.05)
    fillHead(.ellipse(iris, Point(0.108, 0.115)), Paint(Tone(appearance.eyeColour)), picture)
    fillHead(.ellipse(iris, Point(0.066, 0.07)), Paint(Tone(0x12_0c_10)), picture)
    fillHead(.ellipse(iris + Point(0.035, -0.045), Point(0.034, 0.034)), Paint(Tone(0xff_ff_ff)), picture)

    // The lid covers the eye from above down to a line that sinks with the blink.
    let open = min(1, pose.eyes * (0.93 - 0.05 * pose.smile))
    let lid = -radii.y * 1.05 + (1 - open) * radii.y * 2.05
    let reach = radii.x * 1.1
    let line = Outline.arc(
      centre + Point(-reach, max(lid * 0.35, -0.02) + 0.02), centre + Point(0, lid * 1.65 - 0.03),
      centre + Point(reach, max(lid * 0.35, -0.02) + 0.02))
    let above = Outline.arc(
      centre + Point(reach, 0), centre + Point(0, -radii.y * 2.3), centre + Point(-reach, 0))
    fillHead(.polygon(line + above), Paint(skin.darker(0.08)), picture)
    if open < 0.4 {
      // What the lid's bow leaves open below.
      fillHead(
        .ellipse(centre + Point(0, 0.03), radii * Point(1.05, 1)), Paint(skin.darker(0.08), opacity: 1 - open / 0.4),
        picture)
    }
    fillHead(.stroke(line, width: 0.05), Paint(hairline), picture)
  }

  private var hairline: Tone { Tone(0x1c_12_14).mixed(with: hair, 0.2) }

  private func drawBrow(_ side: Float, _ picture: borrowing MutableI420) {
    let height = -0.29 - pose.brows * 0.06
    let tone = appearance.hair == .scarf ? Tone(0x33_22_1c) : hair.darker(0.2)
    let line = Outline.arc(
      Point(side * 0.14, height + 0.04 - pose.brows * 0.02) + turn, Point(side * 0.32, height - 0.09) + turn,
      Point(side * 0.52, height + 0.05) + turn)
    fillHead(.stroke(line, width: 0.075, endWidth: 0.035), Paint(tone), picture)
  }

  private func drawNose(_ picture: borrowing MutableI420) {
    let tip = Point(turn.x * 1.6, 0.33 + turn.y * 1.4)
    let shade = skin.darker(0.28)
    fillHead(
      .stroke(Outline.arc(tip + Point(-0.09, 0), tip + Point(0, 0.085), tip + Point(0.09, 0)), width: 0.04),
      Paint(shade), picture)
    fillHead(.ellipse(tip + Point(0, -0.05), Point(0.065, 0.06)), Paint(skin.lighter(0.3), opacity: 0.5), picture)
  }

  private func drawFreckles(_ picture: borrowing MutableI420) {
    for index in 0..<12 {
      let side: Float = index % 2 == 0 ? -1 : 1
      let x = side * (0.2 + 0.36 * PersonPose.share(appearance.seed, index))
      let y = 0.26 + 0.16 * PersonPose.share(appearance.seed &+ 1, index)
      fillHead(.ellipse(Point(x, y) + turn, Point(0.025, 0.022)), Paint(Tone(0xc0_70_3c), opacity: 0.7), picture)
    }
  }

  private func drawBeard(_ picture: borrowing MutableI420) {
    let tone = hair.mixed(with: skin, 0.08)
    switch appearance.beard {
    case .none: return
    case .moustache: break
    case .full:
      let drop = mouthOpen * 0.05
      let beard = Outline.symmetric([
        Point(0, 0.44), Point(0.24, 0.45), Point(0.42, 0.5), Point(0.62, 0.3), Point(0.76, 0), Point(0.82, 0.1),
        Point(0.78, 0.46), Point(0.62, 0.84), Point(0.34, 1.1 + drop), Point(0, 1.18 + drop),
      ])
      fillHead(beard, Paint(from: tone.lighter(0.06), to: tone.darker(0.2)), picture)
      return
    }
    let middle = Point(0, 0.5) + turn
    for side in [Float(-1), 1] {
      let wing = Outline.arc(middle, middle + Point(side * 0.2, -0.04), middle + Point(side * 0.33, 0.1))
      fillHead(.stroke(wing, width: 0.12, endWidth: 0.04), Paint(tone), picture)
    }
  }

  private func drawMouth(_ picture: borrowing MutableI420) {
    let centre = Point(0, 0.63 + mouthOpen * 0.02) + turn
    let open = mouthOpen
    let reach = 0.25 + 0.03 * pose.smile - open * 0.05
    let corner = -0.085 * pose.smile
    let upperBow = 0.02 - open * 0.06
    let lowerBow = 0.06 * pose.smile + open * 0.3
    // -1 … 1 across; the corners lie higher when smiling.
    func upper(_ t: Float) -> Point { centre + Point(t * reach, corner * t * t + upperBow * (1 - t * t)) }
    func lower(_ t: Float, _ depth: Float) -> Point {
      centre + Point(t * reach, corner * t * t + depth * (1 - t * t * t * t).squareRoot())
    }
    let steps = (0...12).map { Float($0) / 6 - 1 }
    let lips = Tone(appearance.lipColour)
    guard open > 0.06 else {
      let smile = steps.map { lower($0, lowerBow) }
      fillHead(.stroke(smile, width: 0.085), Paint(lips), picture)
      fillHead(.stroke(steps.map { lower($0, lowerBow - 0.005) }, width: 0.028), Paint(lips.darker(0.6)), picture)
      return
    }
    let top = steps.map(upper)
    let bottom = steps.reversed().map { lower($0, lowerBow) }
    fillHead(.polygon(top + bottom) + .stroke(top, width: 0.08) + .stroke(bottom, width: 0.09), Paint(lips), picture)
    fillHead(.polygon(top + bottom), Paint(from: Tone(0x4a_10_1c), to: Tone(0x7a_1c_2c)), picture)
    // Teeth above, tongue below, both within the lips.
    let teeth = min(0.075, (lowerBow - upperBow) * 0.38)
    let inner = steps.dropFirst(2).dropLast(2)
    fillHead(
      .polygon(inner.map(upper) + inner.reversed().map { upper($0) + Point(0, teeth * (1 - $0 * $0 * 0.6)) }),
      Paint(Tone(0xff_fb_f4)), picture)
    if open > 0.25 {
      fillHead(
        .polygon(
          inner.map { lower($0, lowerBow) }
            + inner.reversed().map { lower($0, lowerBow) - Point(0, 0.1 * open * (1 - $0 * $0)) }
        ), Paint(Tone(0xe0_6a_72)), picture)
    }
  }
}
