/// What a provider allows to all workers together, such as pushes of a project in a minute, is divided among those that use
/// it.
public protocol QuotaShares: Sendable {
    /// How many workers share this quota, the one that asks among them. Whoever has asked within a minute counts. Cheap, and
    /// from any thread.
    ///
    /// - Parameter name: such as `<output>/<account>`.
    /// - Returns: nil: not known yet, since it was first asked a moment ago.
    func workers(sharing name: String) -> Int?
}

/// There is one worker.
public struct UndividedQuotas: QuotaShares {
    public init() {}

    public func workers(sharing name: String) -> Int? { 1 }
}
