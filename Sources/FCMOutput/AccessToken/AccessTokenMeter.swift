import Metering
import NIOCore

/// The metrics of one pool's access tokens. Pools with the same labels on the same event loop share their cells.
struct AccessTokenMeter {
    let unreachable: MetricCell
    private let granted: MetricCell
    private let refused: MetricCell
    private let failed: MetricCell

    /// Creates the meter of a pool.
    ///
    /// - Parameter labels: the values of the labels output, credential and environment.
    init(_ metrics: MetricRegistry, _ labels: [String], of eventLoop: any EventLoop) {
        unreachable = metrics.cell(.tokenEndpointUnreachable, labels, of: eventLoop)
        granted = metrics.cell(.accessTokenRequests, labels + ["granted"], of: eventLoop)
        refused = metrics.cell(.accessTokenRequests, labels + ["refused"], of: eventLoop)
        failed = metrics.cell(.accessTokenRequests, labels + ["failed"], of: eventLoop)
    }

    /// Counts an answer from the token endpoint.
    func count(_ answer: TokenAnswer) {
        switch answer {
        case .token: granted.add(1)
        case .refused: refused.add(1)
        case .failed: failed.add(1)
        }
    }
}
