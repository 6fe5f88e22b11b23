/// The state of the fleet, as one worker sees it.
package struct FleetView: Sendable, Hashable {
    /// The reason why the worker's row can't be written.
    package enum Obstacle: Sendable, Hashable {
        case away
        /// PostgreSQL answers, but the statement failed with this error.
        case failed(String)
        /// PostgreSQL answers but accepts no writes, for example because it is a standby.
        case readOnly
        /// A permission, the table or the schema is missing, which only an operator can correct.
        case refused
    }

    /// Whether the worker has renewed its row recently, so that the other workers count it.
    package var isKnown: Bool
    package var obstacle: Obstacle?
    /// The number of workers that share each of this worker's quotas, by the name of the quota.
    package var quotas: [String: Int]

    package init(isKnown: Bool = false, obstacle: Obstacle? = nil, quotas: [String: Int] = [:]) {
        self.isKnown = isKnown
        self.obstacle = obstacle
        self.quotas = quotas
    }
}
