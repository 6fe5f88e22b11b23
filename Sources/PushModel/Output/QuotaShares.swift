/// The number of workers that share each quota. A provider's quota, such as pushes of a project per minute, applies to
/// all workers together, so they divide it.
public protocol QuotaShares: Sendable {
    /// Returns the number of workers that share a quota, including the calling one. A worker counts if it has called
    /// this within the last minute. The call is cheap and allowed on any thread.
    ///
    /// - Parameter name: the name of the quota, such as `<output>/<account>`.
    /// - Returns: the number, or `nil` shortly after the first call, when it is not known yet.
    func workers(sharing name: String) -> Int?
}

/// The quotas of a single worker, which shares them with no other one.
public struct UndividedQuotas: QuotaShares {
    public init() {}

    public func workers(sharing name: String) -> Int? { 1 }
}
