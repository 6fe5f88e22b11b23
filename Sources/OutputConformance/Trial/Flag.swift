import Threading

/// Something that happens once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    /// - Returns: whether it is the first time.
    @discardableResult func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
