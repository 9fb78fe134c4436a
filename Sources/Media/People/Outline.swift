import Glibc

typealias Point = SIMD2<Float>

extension SIMD2<Float> {
  /// Turned by a quarter to the left.
  var perpendicular: Point { Point(-y, x) }
  var length: Float { (x * x + y * y).squareRoot() }
  /// Direction in radians, clockwise from the right.
  var angle: Float { atan2f(y, x) }
  /// Turned about the origin; positive turns clockwise on a screen, as y points down.
  func rotated(by angle: Float) -> Point {
    let cosine = cosf(angle)
    let sine = sinf(angle)
    return Point(x * cosine - y * sine, x * sine + y * cosine)
  }
}

/// Moves points: scaled, then turned, then shifted.
struct Placement {
  var origin: Point
  var scale: Point
  private let cosine: Float
  private let sine: Float

  init(origin: Point = .zero, scale: Point = Point(1, 1), angle: Float = 0) {
    self.origin = origin
    self.scale = scale
    cosine = cosf(angle)
    sine = sinf(angle)
  }

  func callAsFunction(_ point: Point) -> Point {
    let scaled = point * scale
    return origin + Point(scaled.x * cosine - scaled.y * sine, scaled.x * sine + scaled.y * cosine)
  }
}

/// Closed curves made of short straight lines. Where contours of opposite direction overlap is a hole.
struct Outline {
  private(set) var contours: [[Point]]

  init(contours: [[Point]] = []) { self.contours = contours }

  /// Straight from corner to corner.
  static func polygon(_ points: [Point]) -> Outline { Outline(contours: [points]) }

  static func ellipse(_ centre: Point, _ radii: Point, angle: Float = 0) -> Outline {
    Outline(contours: [circle.map { centre + ($0 * radii).rotated(by: angle) }])
  }

  /// An ellipse without its middle.
  static func ring(_ centre: Point, _ radii: Point, width: Float) -> Outline {
    let inner = radii - Point(width, width)
    return Outline(contours: [circle.map { centre + $0 * radii }, circle.reversed().map { centre + $0 * inner }])
  }

  static func box(_ from: Point, _ to: Point) -> Outline {
    polygon([from, Point(to.x, from.y), to, Point(from.x, to.y)])
  }

  /// A smooth closed curve through all points (Catmull-Rom).
  static func smooth(_ points: [Point]) -> Outline {
    let count = points.count
    var curve: [Point] = []
    curve.reserveCapacity(count * steps)
    for index in 0..<count {
      let before = points[(index + count - 1) % count]
      let from = points[index]
      let to = points[(index + 1) % count]
      let after = points[(index + 2) % count]
      for step in 0..<steps {
        let t = Float(step) / Float(steps)
        let cubic = (3 * (from - to) + after - before) * t
        let square = 2 * before - 5 * from + 4 * to - after
        curve.append(0.5 * (2 * from + (to - before + (square + cubic) * t) * t))
      }
    }
    return Outline(contours: [curve])
  }

  /// The right half, from top to bottom, and its mirror image; the first and last point lie on the axis.
  static func symmetric(_ right: [Point]) -> Outline { smooth(mirrored(right)) }

  static func mirrored(_ right: [Point]) -> [Point] {
    right + right.dropFirst().dropLast().reversed().map { Point(-$0.x, $0.y) }
  }

  /// A line with round ends; its width runs from `width` to `endWidth`.
  static func stroke(_ points: [Point], width: Float, endWidth: Float? = nil) -> Outline {
    guard let first = points.first, let last = points.last, points.count > 1 else { return Outline() }
    var left: [Point] = []
    var right: [Point] = []
    for index in points.indices {
      let along = points[min(index + 1, points.count - 1)] - points[max(index - 1, 0)]
      let share = Float(index) / Float(points.count - 1)
      let radius = (width + ((endWidth ?? width) - width) * share) / 2
      let across = along.perpendicular / max(along.length, 1e-6) * radius
      left.append(points[index] + across)
      right.append(points[index] - across)
    }
    // Half circles at both ends.
    func cap(_ centre: Point, from start: Point) -> [Point] {
      (1..<6).map { centre + (start - centre).rotated(by: -Float($0) * .pi / 6) }
    }
    let head = right.first ?? first
    let tail = left.last ?? last
    return Outline(contours: [left + cap(last, from: tail) + right.reversed() + cap(first, from: head)])
  }

  /// A point list along a quadratic curve.
  static func arc(_ from: Point, _ bend: Point, _ to: Point, count: Int = 9) -> [Point] {
    (0..<count).map { index in
      let t = Float(index) / Float(count - 1)
      return (1 - t) * (1 - t) * from + 2 * t * (1 - t) * bend + t * t * to
    }
  }

  func placed(_ placement: Placement) -> Outline {
    Outline(contours: contours.map { $0.map { placement($0) } })
  }

  static func + (left: Outline, right: Outline) -> Outline { Outline(contours: left.contours + right.contours) }

  /// Points between two given ones of a smooth curve.
  private static let steps = 6
  private static let circle: [Point] = (0..<40).map { index in
    let angle = Float(index) / 40 * 2 * .pi
    return Point(cosf(angle), sinf(angle))
  }
}
