/// Draws the room behind a person, once. Things stand left and right of the head and stay paler than the person.
struct BackdropPainter {
  let rasteriser: Rasteriser
  /// From picture heights, x counted from the middle, to pixels.
  let room: Placement
  /// Half the picture's width in its heights.
  let half: Float

  func draw(_ appearance: PersonAppearance, into picture: borrowing MutableI420) {
    let base = Tone(appearance.backdropColour)
    let isDark = base.y < 110
    fill(
      .box(Point(-half, 0), Point(half, 1)),
      Paint(from: isDark ? base.lighter(0.06) : base.lighter(0.28), to: base.darker(isDark ? 0.35 : 0.12)), picture)
    switch appearance.backdrop {
    case .plain: drawLight(base, picture)
    case .shelf: drawShelf(base, seed: appearance.seed, picture)
    case .window: drawWindow(base, picture)
    case .night: drawNight(base, seed: appearance.seed, picture)
    case .plant: drawPlant(base, picture)
    case .picture: drawPicture(base, picture)
    case .lamp: drawLamp(base, picture)
    }
  }

  private func fill(_ outline: Outline, _ paint: Paint, _ picture: borrowing MutableI420) {
    rasteriser.fill(outline.placed(room), paint, into: picture)
  }

  /// Broad soft discs of light.
  private func drawLight(_ base: Tone, _ picture: borrowing MutableI420) {
    for (x, y, radius) in [(-0.55, 0.3, 0.34), (0.62, 0.18, 0.26), (0.5, 0.72, 0.2)] as [(Float, Float, Float)] {
      fill(.ellipse(Point(x, y), Point(radius, radius)), Paint(base.lighter(0.7), opacity: 0.28), picture)
      fill(.ellipse(Point(x, y), Point(radius * 0.7, radius * 0.7)), Paint(base.lighter(0.8), opacity: 0.2), picture)
    }
  }

  private func drawShelf(_ base: Tone, seed: UInt64, _ picture: borrowing MutableI420) {
    let wood = Tone(0x8a_5a_36).mixed(with: base, 0.3)
    let spines: [UInt32] = [0xc8_4b_3c, 0x3d_7e_a6, 0xe8_b0_4a, 0x5a_9a_6a, 0x8a_5a_9c, 0xe9_e2_d2, 0x2f_4a_5c]
    for (side, edge) in [(Float(-1), 0), (1, 50)] {
      let inner = side * 0.36
      let outer = side * half
      for (row, y) in ([0.24, 0.54, 0.84] as [Float]).enumerated() {
        var x = min(inner, outer) + 0.02
        let end = max(inner, outer) - 0.03
        var index = edge + row * 17
        while x < end {
          let width = 0.03 + 0.025 * PersonPose.share(seed, index)
          let height = 0.13 + 0.09 * PersonPose.share(seed &+ 1, index)
          let spine = spines[Int(PersonPose.share(seed &+ 2, index) * Float(spines.count)) % spines.count]
          if PersonPose.share(seed &+ 3, index) > 0.16 {
            let tone = Tone(spine).mixed(with: base, 0.35)
            fill(
              .box(Point(x, y - height), Point(min(x + width, end), y)), Paint(from: tone, to: tone.darker(0.2)),
              picture)
          }
          x += width + 0.004
          index += 1
        }
        fill(
          .box(Point(min(inner, outer), y), Point(max(inner, outer), y + 0.028)),
          Paint(from: wood, to: wood.darker(0.4)),
          picture)
      }
    }
  }

  private func drawWindow(_ base: Tone, _ picture: borrowing MutableI420) {
    let frame = Tone(0xfb_f8_f0)
    let sky = Paint(from: Tone(0x7f_c4_f0), to: Tone(0xdd_f1_fb))
    let left = Point(-half + 0.08, 0.1)
    let right = Point(-0.3, 0.66)
    fill(.box(left - Point(0.035, 0.035), right + Point(0.035, 0.035)), Paint(frame), picture)
    fill(.box(left, right), sky, picture)
    let cloud = Paint(Tone(0xff_ff_ff), opacity: 0.85)
    for (x, y, radius) in [(-0.66, 0.26, 0.05), (-0.6, 0.24, 0.07), (-0.53, 0.265, 0.045)] as [(Float, Float, Float)] {
      fill(.ellipse(Point(x, y), Point(radius, radius * 0.6)), cloud, picture)
    }
    let hill = Outline.polygon(
      [Point(left.x, right.y)] + Outline.arc(Point(left.x, 0.58), Point(-0.55, 0.44), Point(right.x, 0.56))
        + [Point(right.x, right.y)])
    fill(hill, Paint(from: Tone(0x8c_c4_7c), to: Tone(0x5f_a0_60)), picture)
    let bar = (left.x + right.x) / 2
    fill(.box(Point(bar - 0.012, left.y), Point(bar + 0.012, right.y)), Paint(frame), picture)
    fill(
      .box(Point(left.x - 0.06, right.y + 0.03), Point(right.x + 0.06, right.y + 0.065)), Paint(frame.darker(0.1)),
      picture)
    // A curtain on the other side keeps the balance.
    for index in 0..<5 {
      let x = 0.52 + Float(index) * 0.08
      let tone = base.darker(index % 2 == 0 ? 0.16 : 0.05)
      fill(.box(Point(x, 0), Point(x + 0.08, 1)), Paint(from: tone.lighter(0.1), to: tone), picture)
    }
  }

  private func drawNight(_ base: Tone, seed: UInt64, _ picture: borrowing MutableI420) {
    // A town's lights out of focus.
    let lights: [UInt32] = [0xff_c8_6a, 0xff_8f_5a, 0x7a_c8_ff, 0xff_e6_b0, 0xf0_7a_b0]
    for index in 0..<26 {
      let x = (PersonPose.share(seed, index) * 2 - 1) * half
      let y = 0.06 + PersonPose.share(seed &+ 1, index) * 0.8
      let radius = 0.018 + PersonPose.share(seed &+ 2, index) * 0.045
      let light = Tone(lights[index % lights.count])
      fill(
        .ellipse(Point(x, y), Point(radius, radius)),
        Paint(light, opacity: 0.22 + 0.3 * PersonPose.share(seed &+ 3, index)), picture)
    }
    let sill = Tone(0x1a_1c_2c)
    for x in [-0.62, 0.62] as [Float] {
      fill(.box(Point(x - 0.014, 0), Point(x + 0.014, 1)), Paint(sill, opacity: 0.9), picture)
    }
  }

  private func drawPlant(_ base: Tone, _ picture: borrowing MutableI420) {
    let leaf = Tone(0x2f_7d_46)
    let foot = Point(0.62, 0.74)
    for (angle, length) in [
      (-1.35, 0.3), (-0.95, 0.42), (-0.5, 0.5), (-0.08, 0.56), (0.35, 0.48), (0.85, 0.4), (1.3, 0.28),
    ] as [(Float, Float)] {
      let tip = foot + Point(0, -length).rotated(by: angle)
      let bend = foot + Point(0, -length * 0.6).rotated(by: angle * 0.5)
      let blade = Outline.arc(foot, bend, tip)
      fill(.stroke(blade, width: 0.02, endWidth: 0.008), Paint(leaf.darker(0.3)), picture)
      let middle = blade[5]
      let along = tip - middle
      fill(
        .ellipse(middle + along * 0.45, Point(along.length * 0.72, along.length * 0.27), angle: along.angle),
        Paint(from: leaf.lighter(0.18), to: leaf), picture)
    }
    let clay = Tone(0xc8_6b_45)
    fill(
      .polygon([Point(0.49, 0.72), Point(0.75, 0.72), Point(0.71, 1), Point(0.53, 1)]),
      Paint(from: clay, to: clay.darker(0.35)), picture)
    fill(.box(Point(0.475, 0.69), Point(0.765, 0.74)), Paint(clay.lighter(0.15)), picture)
    // A low sideboard on the left.
    let wood = base.darker(0.4)
    fill(.box(Point(-half, 0.66), Point(-0.34, 1)), Paint(from: wood.lighter(0.1), to: wood), picture)
    fill(.box(Point(-half, 0.64), Point(-0.32, 0.67)), Paint(base.darker(0.25)), picture)
    fill(.ellipse(Point(-0.6, 0.54), Point(0.07, 0.1)), Paint(from: Tone(0xf4_ea_d8), to: Tone(0xcf_bf_a4)), picture)
  }

  private func drawPicture(_ base: Tone, _ picture: borrowing MutableI420) {
    for (side, colours) in [
      (Float(-1), [0xf4_d3_5e, 0xee_96_4b, 0x0d_3b_66] as [UInt32]), (1, [0xf2_5f_5c, 0x24_7b_a0, 0x70_c1_b3]),
    ] {
      let low = side < 0 ? Point(-0.8, 0.12) : Point(0.42, 0.16)
      let high = side < 0 ? Point(-0.4, 0.6) : Point(0.78, 0.56)
      fill(.box(low + Point(0.015, 0.02), high + Point(0.02, 0.025)), Paint(base.darker(0.5), opacity: 0.5), picture)
      fill(.box(low, high), Paint(Tone(0xfa_f6_ec)), picture)
      let from = low + Point(0.035, 0.035)
      let to = high - Point(0.035, 0.035)
      fill(.box(from, to), Paint(Tone(colours[0])), picture)
      let size = to - from
      fill(.ellipse(from + size * Point(0.6, 0.38), Point(0.09, 0.09)), Paint(Tone(colours[1])), picture)
      fill(
        .polygon([
          Point(from.x, from.y + size.y * 0.72), Point(from.x + size.x * 0.4, from.y + size.y * 0.5),
          Point(to.x, from.y + size.y * 0.8), to,
          Point(from.x, to.y),
        ]), Paint(Tone(colours[2])), picture)
    }
  }

  private func drawLamp(_ base: Tone, _ picture: borrowing MutableI420) {
    let glow = Tone(0xff_ee_c0)
    for (radius, opacity) in [(0.5, 0.16), (0.38, 0.2), (0.27, 0.25)] as [(Float, Float)] {
      fill(.ellipse(Point(-0.6, 0.3), Point(radius, radius)), Paint(glow, opacity: opacity), picture)
    }
    fill(.box(Point(-0.612, 0.36), Point(-0.588, 1)), Paint(Tone(0x5c_46_38)), picture)
    fill(
      .polygon([Point(-0.67, 0.14), Point(-0.53, 0.14), Point(-0.44, 0.38), Point(-0.76, 0.38)]),
      Paint(from: Tone(0xff_f8_df), to: Tone(0xff_d9_8c)), picture)
    // A sofa's back along the wall.
    let sofa = base.mixed(with: Tone(0x4a_6a_7c), 0.6)
    fill(
      .smooth([
        Point(0.3, 1.1), Point(0.3, 0.74), Point(0.36, 0.66), Point(0.6, 0.64), Point(0.95, 0.66), Point(1.1, 1.1),
      ]), Paint(from: sofa.lighter(0.1), to: sofa.darker(0.3)), picture)
    fill(.ellipse(Point(0.6, 0.72), Point(0.14, 0.11), angle: -0.3), Paint(base.lighter(0.45)), picture)
  }
}
