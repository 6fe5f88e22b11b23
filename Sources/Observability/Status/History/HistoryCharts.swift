import PushModel
import Store

/// The charts of the last hour. They show the pushes per second and the answer times of each output, and the number of
/// waiting jobs.
enum HistoryCharts {
    private static let slots = HistoryRing.size
    /// The minimum upper end of the scales for retried and refused pushes, as a share of the peak of sent pushes.
    /// Without this minimum, a few retried or refused pushes would fill a plot.
    private static let smallestShare = 0.02
    private static let smallestRate = 0.1
    private static let smallestQueue = 10.0

    static func section(_ history: HistoryStatus) -> HTML {
        guard !history.isEmpty else {
            return StatusTables.section(
                "Last hour", id: "history",
                note("No samples yet. The first is shown when this worker has run for half a minute."))
        }
        let axis = ChartAxis(
            slots: slots, start: history.first, slotSeconds: history.slotSeconds,
            lastPart: Double(history.lastSlotSeconds) / Double(history.slotSeconds),
            completeFrom: history.completeFrom.map {
                Double($0.seconds - history.first.seconds) / Double(history.slotSeconds)
            })
        var statistics = history.outputs.enumerated().flatMap { place, output in
            [
                figure("pushes", output.output, "pushes per second", pushes(output, id: "pushes-\(place)", axis)),
                figure("answers", output.output, "answer time", answers(output, id: "answers-\(place)", axis)),
            ]
        }
        statistics.append(figure("waiting", "Jobs", "waiting in workers", waiting(history.lanes, axis)))
        return StatusTables.section(
            "Last hour", id: "history",
            [.element("div", ["class": "charts"], HTML(statistics)), note(explanation(of: history, axis))])
    }

    private static func note(_ text: String) -> HTML { .element("p", ["class": "note"], HTML(text)) }

    private static func figure(_ kind: String, _ name: String, _ what: String, _ chart: Chart) -> HTML {
        .element(
            "figure", ["class": kind],
            [.element("figcaption", [.element("b", HTML(name)), HTML(" \(what)")]), chart.render()])
    }

    private static func explanation(of history: HistoryStatus, _ axis: ChartAxis) -> String {
        var sentences: [String] = []
        switch history.scope {
        case .fleet where history.workers == 1: sentences.append("One worker in intervals of two minutes.")
        case .fleet:
            sentences.append("The sum of \(Phrase.count(history.workers, "worker")) in intervals of two minutes.")
        case .worker:
            sentences.append(
                "This worker only, in intervals of two minutes, because the table of workers could not be read.")
        }
        if let from = history.completeFrom {
            let place = Int((from.seconds - history.first.seconds) / Int64(history.slotSeconds))
            sentences.append(
                "Grey: before \(axis.clock(place)), when this worker started, workers that have ended are missing.")
        }
        if !history.outputs.isEmpty {
            sentences.append(
                "Each plot has its own scale. Half of the answers came within p50 and 99 % within p99, estimated from "
                    + "a histogram of all answers, on a logarithmic scale.")
        }
        if !history.idleOutputs.isEmpty {
            sentences.append("No pushes: \(history.idleOutputs.joined(separator: ", ")).")
        }
        sentences.append("Jobs that wait in the broker are not counted; martlet top shows them.")
        return sentences.joined(separator: " ")
    }

    /// Returns a number as text, which is `0` only if the value is 0.
    private static func number(_ value: Double) -> String {
        value > 0 && value < 0.1 ? "under 0.1" : Phrase.rate(value)
    }

    // MARK: Pushes

    private static func pushes(_ output: HistoryStatus.Output, id: String, _ axis: ChartAxis) -> Chart {
        let peak = output.sent.compactMap { $0 }.max() ?? 0
        let least = max(peak * smallestShare, smallestRate)
        let rows = [("sent", output.sent, 64), ("retried", output.retried, 32), ("refused", output.refused, 32)]
        return Chart(
            id: id, title: "\(output.output): pushes per second in the last hour",
            summary: rows.map { name, values, _ in "\(name) \(summary(values, number))" }.joined(separator: "; "),
            axis: axis,
            plots: rows.map { name, values, height in
                strip(name, kind: name, values, least: least, height: height, number)
            },
            words: words(rows.map { name, values, _ in (name, values) }, number))
    }

    // MARK: Answers

    private static func answers(_ output: HistoryStatus.Output, id: String, _ axis: ChartAxis) -> Chart {
        let (half, most) = (output.p50.map { $0.map(Double.init) }, output.p99.map { $0.map(Double.init) })
        let rows = [("p50", half), ("p99", most)]
        func key(_ row: (String, [Double?]), _ kind: String) -> Chart.Key {
            Chart.Key(kind: kind, text: "\(row.0) \(row.1.last.flatMap { $0 }.map(time) ?? "–")")
        }
        return Chart(
            id: id, title: "\(output.output): answer time in the last hour",
            summary: rows.map { "\($0) \(summary($1, time))" }.joined(separator: "; "), axis: axis,
            plots: [
                Chart.Plot(
                    left: key(rows[0], "half"), right: key(rows[1], "most"), scale: .logarithmic(for: half + most),
                    height: 176,
                    lines: [Chart.Line(kind: "most", values: most), Chart.Line(kind: "half", values: half)]
                )
            ], words: words(rows, time))
    }

    private static func time(_ milliseconds: Double) -> String {
        let longest = HistoryCounts.bounds.last ?? 0
        return Int(milliseconds) > longest
            ? "over \(longest / 1_000) s" : Phrase.milliseconds(Int(milliseconds))
    }

    // MARK: Jobs

    private static func waiting(_ lanes: [HistoryStatus.LaneHistory], _ axis: ChartAxis) -> Chart {
        Chart(
            id: "waiting", title: "Jobs waiting in workers in the last hour",
            summary: lanes.map { "\($0.lane) \(summary($0.waiting, number))" }.joined(separator: "; "), axis: axis,
            plots: lanes.map { lane in
                strip(lane.lane, kind: "sent", lane.waiting, least: smallestQueue, height: 43, number)
            }, words: words(lanes.map { ($0.lane, $0.waiting) }, number))
    }

    // MARK: Shared parts

    private static func strip(
        _ name: String, kind: String, _ values: [Double?], least: Double, height: Int, _ text: (Double) -> String
    ) -> Chart.Plot {
        let peak = values.compactMap { $0 }.max()
        let latest = values.last.flatMap { $0 }
        return Chart.Plot(
            left: Chart.Key(kind: kind, text: name, note: peak.map { "peak \(text($0))" } ?? ""),
            right: Chart.Key(kind: "", text: latest.map(text) ?? "–"), scale: .linear(max(peak ?? 0, least)),
            height: height, lines: [Chart.Line(kind: kind, values: values, isFilled: true)])
    }

    private static func summary(_ values: [Double?], _ text: (Double) -> String) -> String {
        guard let latest = values.last.flatMap({ $0 }) else { return "unknown now" }
        return "\(text(latest)) now, peak \(text(values.compactMap { $0 }.max() ?? latest))"
    }

    private static func words(_ rows: [(String, [Double?])], _ text: (Double) -> String) -> [String?] {
        (0..<slots).map { place in
            let known = rows.compactMap { name, values in
                place < values.count ? values[place].map { "\(name) \(text($0))" } : nil
            }
            return known.isEmpty ? nil : known.joined(separator: ", ")
        }
    }
}
