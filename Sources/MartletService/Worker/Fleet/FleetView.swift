/// What a worker knows of the others.
package struct FleetView: Sendable, Hashable {
    /// Its row is fresh, so that the others count it.
    package var isKnown: Bool
    /// How many workers share each quota that it uses.
    package var quotas: [String: Int]

    package init(isKnown: Bool = false, quotas: [String: Int] = [:]) {
        self.isKnown = isKnown
        self.quotas = quotas
    }
}
