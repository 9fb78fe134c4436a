/// One of the rooms that are shown together, by its place in the order in which they were named, from 0.
public struct RoomKey: Hashable, Comparable, Sendable {
  public let index: Int
  public init(_ index: Int) { self.index = index }

  /// The room that is shown alone.
  public static let only = RoomKey(0)

  public static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// One of several rooms that are shown together, as a whole.
public struct RoomSection: Hashable, Sendable, Identifiable {
  public var id: RoomKey
  /// As the room calls itself, or as its address does before that: from outside, to be sanitised.
  public var name: String
  /// What people call the system that the room is on.
  public var system: String
  public var connection: RoomSnapshot.Connection
  /// How many are in it, we included.
  public var count: Int
  /// Why it shows nobody, as a sentence; nil while nothing is wrong.
  public var problem: String?

  public init(
    id: RoomKey, name: String, system: String = "", connection: RoomSnapshot.Connection = .joining, count: Int = 0,
    problem: String? = nil
  ) {
    self.id = id
    self.name = name
    self.system = system
    self.connection = connection
    self.count = count
    self.problem = problem
  }
}
