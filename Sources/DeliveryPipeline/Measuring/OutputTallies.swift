import Contract
import Metering

/// The counters of pushes by output and result. Pushes of an output that the worker does not have are not counted.
///
/// Only the pipeline's queue uses this object.
// why: unchecked, because only one queue accesses it.
final class OutputTallies: @unchecked Sendable {
    private struct Cells {
        let sent, retried, refused: MetricCell

        init(_ registry: MetricRegistry, _ output: String) {
            sent = registry.cell(.pushesByOutput, [output, "sent"])
            retried = registry.cell(.pushesByOutput, [output, "retried"])
            refused = registry.cell(.pushesByOutput, [output, "refused"])
        }
    }

    private let cells: [String: Cells]
    /// The output of the last push and its counters. Most pushes have the same output as the push before.
    private var last: (output: String, cells: Cells)?

    init(_ registry: MetricRegistry, outputs: some Sequence<String>) {
        cells = Dictionary(outputs.map { ($0, Cells(registry, $0)) }, uniquingKeysWith: { first, _ in first })
    }

    func count(_ decision: OutcomePolicy.Decision, of output: String) {
        if last?.output != output { last = cells[output].map { (output, $0) } }
        guard let cells = last?.cells else { return }
        switch decision {
        case .tell(.sent, _, _), .count(.sent): cells.sent.add()
        case .tell, .count, .mark: cells.refused.add()
        case .retry, .hold: cells.retried.add()
        case .requeue: break
        }
    }
}
