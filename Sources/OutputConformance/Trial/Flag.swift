import Threading

/// A flag that is set once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    /// Sets the flag.
    ///
    /// - Returns: Whether it was not set before.
    @discardableResult func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
