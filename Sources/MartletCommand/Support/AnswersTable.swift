import CommandSupport
import Observability
import Store

extension FleetAnswers {
    /// The number of answers and the answer times, as a sentence for `doctor`.
    var sentence: String {
        "\(output) \(environment): \(Phrase.figure(accepted)) accepted, \(Phrase.figure(retried)) retried, "
            + "\(Phrase.figure(refused)) refused in the last minute; at the slowest worker the median answer took "
            + "\(p50.text), the 99th percentile \(p99.text)"
    }

    fileprivate var row: [String] {
        [
            output, environment, Phrase.figure(accepted), Phrase.figure(retried), Phrase.figure(refused), p50.text,
            p99.text,
        ]
    }
}

extension FleetAnswers.Slowest {
    /// The answer time and the worker, for example `200 ms (push-3)`.
    fileprivate var text: String { "\(Phrase.milliseconds(milliseconds)) (\(worker))" }
}

extension [FleetAnswers] {
    /// The number of answers and the answer times, as a table for `top`.
    var table: Table {
        var table = Table(header: [
            "OUTPUT", "ENVIRONMENT", "ACCEPTED/MIN", "RETRIED/MIN", "REFUSED/MIN", "P50 OF SLOWEST WORKER",
            "P99 OF SLOWEST WORKER",
        ])
        for answers in self { table.append(answers.row) }
        return table
    }
}
