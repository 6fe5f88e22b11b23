/// What a worker knows of the others.
package struct FleetView: Sendable, Hashable {
    /// Why its row can't be written.
    package enum Obstacle: Sendable, Hashable {
        case away
        /// PostgreSQL answers but accepts no writes, for example because it is a standby.
        case readOnly
        /// Until a person grants a right.
        case refused
    }

    /// Its row is fresh, so that the others count it.
    package var isKnown: Bool
    package var obstacle: Obstacle?
    /// How many workers share each quota that it uses.
    package var quotas: [String: Int]

    package init(isKnown: Bool = false, obstacle: Obstacle? = nil, quotas: [String: Int] = [:]) {
        self.isKnown = isKnown
        self.obstacle = obstacle
        self.quotas = quotas
    }
}
