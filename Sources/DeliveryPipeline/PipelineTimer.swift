/// The reason for a timer of the pipeline.
package enum PipelineTimer: Sendable {
    /// The wait for further outcomes, retries and marks to fill a batch.
    case company
    /// The interval at which the prefetch of the waiting queues is adjusted.
    case prefetch
    /// The interval at which rate limits are checked again.
    case rateLimits
    /// The end of the low priority of this worker's consumers.
    case priority
    /// The timeout for the database's answer to claims.
    case claims
    /// The timeout for the look-up with this id.
    case lookUp(UInt64)
    /// The timeout for writing the batch of marks with this id.
    case marks(UInt64)
    /// The wait before the refused messages with these ids are published again.
    case refusal([UInt64])
}
