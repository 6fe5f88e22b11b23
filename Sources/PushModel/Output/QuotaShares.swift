/// A source of the number of workers that share a quota. A provider's quota, such as pushes of a project per minute,
/// applies to all workers together, so the workers divide it.
public protocol QuotaShares: Sendable {
    /// Returns the number of workers that share a quota, including the calling one. A worker counts if it has called
    /// this method for the quota within the last minute. The call is cheap and allowed on any thread.
    ///
    /// - Parameter name: the name of the quota, such as `<output>/<account>`.
    /// - Returns: the number, or `nil` shortly after the first call, while the number is not determined yet.
    func workers(sharing name: String) -> Int?
}

/// The quota shares of a worker that runs alone. Every quota has one worker.
public struct UndividedQuotas: QuotaShares {
    public init() {}

    public func workers(sharing name: String) -> Int? { 1 }
}
