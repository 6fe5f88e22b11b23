import PushModel

/// The status page, which shows the content of `/status.json` to people. It consists of HTML, a style sheet, and a
/// script that refreshes the page. The page has the same content without the script.
package enum StatusPage {
    package static func render(_ status: StatusDocument) -> String {
        let title = "\(status.worker.name) · \(status.heading)"
        let head: HTML = [
            .tag("meta", ["charset": "utf-8"]),
            .tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            .tag("meta", ["name": "color-scheme", "content": "light dark"]),
            .element("title", HTML(title)), .tag("link", ["rel": "stylesheet", "href": "status.css"]),
            .element("script", ["src": "status.js", "defer": ""], []),
        ]
        let body: HTML = [
            .element(
                "main", ["id": "status"],
                [
                    verdict(status), HistoryCharts.section(status.history), worker(status),
                    StatusTables.fleet(status.fleet),
                    StatusTables.apps(status.apps, isKnown: status.isKnown),
                    StatusTables.refusals(status.refusals), StatusTables.answers(status.answers),
                    StatusTables.pools(status.pools),
                    StatusTables.credentials(status.credentials, isKnown: status.isKnown),
                    StatusTables.warnings(status.warnings), StatusTables.configuration(status.configuration),
                ]),
            .element(
                "footer",
                [
                    .element("span", ["id": "refresh", "role": "status"], "Reload the page for current values."),
                    .element("a", ["href": "status.json"], "This page as JSON"),
                ]),
        ]
        return HTML.document(
            .element("html", ["lang": "en"], [.element("head", head), .element("body", body)])
        ).source
    }

    /// Returns the header of the page, with the open problems and the parties that can end them.
    private static func verdict(_ status: StatusDocument) -> HTML {
        let kind = status.problems.first?.severity.rawValue ?? "fine"
        let items = status.problems.map { problem in
            HTML.element(
                "li", ["class": problem.severity.rawValue],
                [
                    HTML(problem.text), " ", .element("strong", HTML(problem.party.label + ".")), " ",
                    .element("span", ["class": "since"], HTML("Since \(StatusTables.time(problem.since.rfc3339)).")),
                    " ",
                    .element("span", ["class": "todo"], withCode(problem.advice)),
                ])
        }
        let worker = status.worker
        let place =
            "Martlet \(worker.version) on \(worker.host), process \(worker.pid), up \(Phrase.duration(worker.uptimeSeconds))"
        return .element(
            "header", ["class": kind],
            [
                .element("h1", HTML(status.heading)),
                .element("p", ["class": "place"], [.element("b", HTML(worker.name)), " ", HTML(place)]),
                items.isEmpty ? [] : .element("ul", ["class": "problems"], HTML(items)),
            ])
    }

    /// Returns one of Martlet's own texts as HTML. Parts between backquotes become `code` elements.
    private static func withCode(_ text: String) -> HTML {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        return HTML(parts.map { $0.isMultiple(of: 2) ? HTML(String($1)) : .element("code", HTML(String($1))) })
    }

    private static func worker(_ status: StatusDocument) -> HTML {
        let worker = status.worker
        var statistics: [(String, String)] = [
            ("State", worker.state.replacing("_", with: " ")), ("Outcomes per second", Phrase.rate(worker.rate)),
            ("Jobs waiting in this worker", Phrase.figure(worker.jobsWaiting)),
            ("Jobs open", Phrase.figure(worker.jobsOpen)),
            ("Oldest job", Phrase.duration(worker.oldestJobSeconds)),
            ("Outcomes open", Phrase.figure(worker.outcomesOpen)),
        ]
        // The obstacle is left out if the text of a problem already contains it.
        if let obstacle = worker.obstacle, !status.problems.contains(where: { $0.text.contains(obstacle) }) {
            statistics.insert(("Why not ready", obstacle), at: 1)
        }
        let minute = worker.minute.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }.map {
            "\(Phrase.figure($0.value)) \($0.key.replacing("_", with: " "))"
        }
        statistics.append(("In the last minute", minute.isEmpty ? "nothing" : minute.joined(separator: ", ")))
        let list = statistics.map { name, value in
            HTML.element("div", [.element("dt", HTML(name)), .element("dd", HTML(value))])
        }
        return StatusTables.section(
            "This worker", id: "worker", [.element("dl", HTML(list)), StatusTables.lanes(status.lanes)])
    }
}

extension StatusDocument {
    /// Whether the worker has read apps and credentials from the database.
    fileprivate var isKnown: Bool { worker.state != "starting" }

    /// The heading of the page, which is the first open problem or the state of the worker.
    package var heading: String {
        if let first = problems.first { return first.heading }
        return switch worker.state {
        case "starting": "Starting"
        case "draining": "Stopping: waiting for pushes on the wire"
        default: "Nothing is wrong"
        }
    }
}

extension Problem.Party {
    /// The name of the party for display.
    package var label: String {
        switch self {
        case .database: "Database"
        case .broker: "Broker"
        case .ours: "Ours"
        case .network: "Network"
        case .provider: "Provider"
        case .receiver: "Receiver"
        case .consumer: "Consumer"
        case .publisher: "Publisher"
        case .unknown: "Unknown"
        case .decision: "Decision"
        }
    }
}

extension Problem {
    private static let longestHeading = 120

    /// The text without its full stop, truncated to ``longestHeading`` characters.
    fileprivate var heading: String {
        let sentence = text.hasSuffix(".") ? String(text.dropLast()) : text
        return sentence.count > Self.longestHeading ? "\(sentence.prefix(Self.longestHeading))…" : sentence
    }
}
