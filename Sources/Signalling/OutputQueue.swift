/// What a session wants done, in order, until its driver has taken it.
struct OutputQueue<Output: Sendable>: Sendable {
  private var outputs: [Output] = []
  private var taken = 0

  mutating func append(_ output: Output) { outputs.append(output) }

  /// The next one; nil when all are taken. Those taken are forgotten then and not before, so that a long list is not moved
  /// for each of them.
  mutating func take() -> Output? {
    guard taken < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    taken += 1
    return outputs[taken - 1]
  }
}
