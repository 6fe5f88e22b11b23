/// The reason for a timer of the pipeline.
package enum PipelineTimer: Sendable {
    /// The wait for further outcomes, retries and marks to fill a batch.
    case company
    /// The interval at which the prefetch of the overflow queues is adjusted.
    case prefetch
    /// The interval at which rate limits are checked again.
    case pace
    /// The timeout of a database statement: claims, a look-up, or marks.
    case claims
    case lookUp(UInt64)
    case marks(UInt64)
    /// The wait before refused messages are published again.
    case refusal([UInt64])
}
