import Metering
import PushModel

/// The counters of the reasons why pushes were not accepted. A reason that is not listed for its output is counted as
/// `other`.
///
/// Only the pipeline's queue uses this object.
// why: unchecked, because only one queue accesses it.
package final class ReasonTallies: @unchecked Sendable {
    /// The reasons that Martlet itself assigns, for every output.
    package static let ours = [
        "AppPaused", Outcome.cancelled, "ConnectionFailed", "ConnectionLost", "CredentialRefused", "CredentialUnusable",
        "DatabaseUnavailable", "InvalidRequest", Outcome.noAnswer, "NoCredential", "Redelivered", "RequestTimeout",
        "RetriesExhausted", "StreamRefused", "StreamReset", "UnknownApp", "UnsuitableCredential",
    ]
    static let other = "other"

    /// The counters of one output.
    private struct Cells {
        let provider, martlet: [String: MetricCell]
        let otherOfProvider, otherOfMartlet: MetricCell

        init(_ registry: MetricRegistry, _ output: String, _ reasons: [String]) {
            func cell(_ judge: Outcome.Judge, _ reason: String) -> MetricCell {
                registry.cell(.reasons, [output, judge.rawValue, reason])
            }
            func cells(_ judge: Outcome.Judge, _ reasons: [String]) -> [String: MetricCell] {
                Dictionary(reasons.map { ($0, cell(judge, $0)) }, uniquingKeysWith: { first, _ in first })
            }
            provider = cells(.provider, reasons)
            martlet = cells(.martlet, ReasonTallies.ours + reasons)
            otherOfProvider = cell(.provider, ReasonTallies.other)
            otherOfMartlet = cell(.martlet, ReasonTallies.other)
        }

        /// Returns the counter of a reason. If a provider refuses a credential, the provider is the judge, but the
        /// reason is listed in ``ours``.
        func cell(_ judge: Outcome.Judge, _ reason: String) -> MetricCell {
            guard judge == .provider else { return martlet[reason] ?? otherOfMartlet }
            return provider[reason] ?? (ReasonTallies.ours.contains(reason) ? martlet[reason] : nil) ?? otherOfProvider
        }
    }

    private let cells: [String: Cells]
    /// The last reason and its counter. Most outcomes have the same reason as the outcome before and need no look-up.
    private var last: (output: String, judge: Outcome.Judge, reason: String, cell: MetricCell)?

    init(_ registry: MetricRegistry, _ reasons: [String: [String]]) {
        cells = Dictionary(uniqueKeysWithValues: reasons.map { ($0, Cells(registry, $0, $1)) })
    }

    func count(_ outcome: Outcome, _ reason: String?) {
        guard let reason else { return }
        let output = outcome.job.job.output
        if let last, last.reason == reason, last.judge == outcome.judge, last.output == output {
            return last.cell.add()
        }
        guard let cell = cells[output]?.cell(outcome.judge, reason) else { return }
        last = (output, outcome.judge, reason, cell)
        cell.add()
    }
}
