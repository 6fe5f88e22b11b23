/// What the pipeline waits for by the clock.
package enum PipelineTimer: Sendable {
    /// Outcomes, retries and marks for others to travel with.
    case company
    /// The beat of the overflow queues' prefetch.
    case prefetch
    /// An app's rate lets more be sent.
    case pace
    /// The database's patience is over, by what it was asked.
    case claims
    case lookUp(UInt64)
    case marks(UInt64)
    /// Messages that the broker would not take are offered again.
    case refusal([UInt64])
}
