import MartletConfiguration
import Store

/// The tables of the status page.
enum StatusTables {
    private struct Column {
        let title: String
        /// The class of the column's cells in the style sheet.
        let kind: String

        /// Returns a column for long text, which wraps.
        static func text(_ title: String) -> Column { Column(title: title, kind: "text") }
        static func word(_ title: String) -> Column { Column(title: title, kind: "word") }
        static func number(_ title: String) -> Column { Column(title: title, kind: "number") }
    }

    static func section(_ title: String, id: String, _ content: HTML) -> HTML {
        .element(
            "section", ["aria-labelledby": id], [.element("h2", ["id": id], HTML(title)), content])
    }

    /// Returns a table.
    ///
    /// - Parameter rows: the cells of each row, in the order of the columns. The first cell is the header of its row.
    private static func table(_ caption: String, _ columns: [Column], _ rows: [[String]]) -> HTML {
        let head = columns.map {
            HTML.element("th", ["scope": "col", "class": $0.kind], HTML($0.title))
        }
        let body = rows.map { cells in
            HTML.element(
                "tr",
                HTML(
                    zip(columns, cells).enumerated().map { place, pair -> HTML in
                        let (column, cell) = pair
                        return place == 0
                            ? .element("th", ["scope": "row", "class": column.kind], HTML(cell))
                            : .element("td", ["class": column.kind], HTML(cell))
                    }))
        }
        return .element(
            "div", ["class": "scroll", "tabindex": "0", "role": "group", "aria-label": caption],
            .element(
                "table",
                [
                    .element("caption", HTML(caption)), .element("thead", .element("tr", HTML(head))),
                    .element("tbody", HTML(body)),
                ]))
    }

    private static func note(_ text: String) -> HTML { .element("p", ["class": "note"], HTML(text)) }

    static func lanes(_ lanes: [WorkerReport.LaneReport]) -> HTML {
        table(
            "Jobs by lane, and recipients settled per second",
            [.word("Lane"), .number("Waiting"), .number("Open"), .number("Per second"), .number("Oldest")],
            lanes.map {
                [
                    $0.lane, Phrase.figure($0.waiting), Phrase.figure($0.open), Phrase.figure($0.rate),
                    Phrase.duration($0.age),
                ]
            })
    }

    static func fleet(_ fleet: StatusDocument.Fleet) -> HTML {
        let age =
            switch fleet.readSecondsAgo {
            case nil: "The table of workers could not be read yet."
            case let seconds? where fleet.isStale:
                "The database does not answer. This table is \(Phrase.duration(seconds)) old."
            default: ""
            }
        let rows = fleet.workers.map { worker in
            [
                worker.name, worker.stateWords + (worker.obstacle.map { ": \($0)" } ?? ""), worker.host ?? "–",
                worker.version, Phrase.duration(worker.uptimeSeconds), Phrase.rate(worker.rate),
                Phrase.figure(worker.waiting), Phrase.figure(worker.open), Phrase.duration(worker.oldestJobSeconds),
                Phrase.duration(worker.silentSeconds) + " ago",
            ]
        }
        let table =
            rows.isEmpty
            ? note("No worker is known.")
            : table(
                "Workers that have reported within seven days",
                [
                    .text("Worker"), .text("State"), .text("Host"), .word("Version"), .number("Up"),
                    .number("Outcomes per second"), .number("Waiting"), .number("Open"), .number("Oldest job"),
                    .number("Last report"),
                ], rows)
        return section("Fleet", id: "fleet", [age.isEmpty ? [] : note(age), table])
    }

    static func apps(_ apps: StatusDocument.Apps, isKnown: Bool) -> HTML {
        let more = apps.count - apps.shown.count
        let rest = more > 0 ? note("Not shown: \(Phrase.count(more, "app")) with fewer problems or less work.") : []
        let rows = apps.shown.map { app in
            [
                app.app, app.trouble.isEmpty ? "–" : app.trouble.joined(separator: "; "), Phrase.figure(app.waiting),
                Phrase.figure(app.inFlight), Phrase.figure(app.rate), app.limit.map(Phrase.figure) ?? "–",
            ]
        }
        let table =
            rows.isEmpty
            ? note(
                isKnown
                    ? "No app is registered. Add one with martlet app set." : "Unknown while this worker is starting.")
            : table(
                "Apps of this worker, those with problems first",
                [
                    .text("App"), .text("Problems"), .number("Jobs waiting"), .number("Recipients in flight"),
                    .number("Per second"), .number("Rate limit of the fleet"),
                ], rows)
        return section("Apps", id: "apps", [table, rest])
    }

    static func refusals(_ refusals: [RefusalStatus]) -> HTML {
        guard !refusals.isEmpty else { return [] }
        return section(
            "Refusals", id: "refusals",
            table(
                "Current refusals by providers, as seen by this worker",
                [.text("Credential"), .text("Reason"), .text("Topic"), .word("Environment"), .word("Since (UTC)")],
                refusals.map { [$0.credential, $0.reason, $0.topic ?? "all", $0.environment, time($0.since)] }))
    }

    static func pools(_ pools: StatusDocument.Pools) -> HTML {
        guard !pools.shown.isEmpty else { return [] }
        let more = pools.count - pools.shown.count
        let rest = more > 0 ? note("Not shown: \(Phrase.figure(more)) with less work.") : []
        let rows = pools.shown.map { pool in
            let busy = [(pool.connecting, "connecting"), (pool.draining, "draining")].filter { $0.0 > 0 }
            return [
                pool.name, pool.output, pool.environment,
                ([Phrase.figure(pool.open)] + busy.map { "\(Phrase.figure($0)) \($1)" }).joined(separator: ", "),
                "\(Phrase.figure(pool.streams)) of \(Phrase.figure(pool.streamsLimit))", Phrase.figure(pool.waiting),
                Phrase.figure(pool.windowBlocked),
            ]
        }
        let table = table(
            "Connections of this worker to providers, the busiest first",
            [
                .text("Credential or host"), .word("Output"), .word("Environment"), .number("Connections"),
                .number("On the wire"), .number("Waiting"), .number("Times the window was full"),
            ], rows)
        return section("Connections", id: "pools", [table, rest])
    }

    /// Returns the table of the providers' answers in the last minute.
    static func answers(_ answers: [AnswerShare]) -> HTML {
        guard !answers.isEmpty else { return [] }
        return section(
            "Answers", id: "answers",
            table(
                "Answers to this worker in the last minute, and answer times",
                [
                    .text("Output"), .word("Environment"), .number("Answers"), .number("2xx"), .number("other"),
                    .number("5xx, 429"), .number("p50"), .number("p99"),
                ],
                answers.map {
                    [
                        $0.output, $0.environment, Phrase.figure($0.answers), Phrase.figure($0.accepted),
                        Phrase.figure($0.refused), Phrase.figure($0.failed), Phrase.milliseconds($0.p50),
                        Phrase.milliseconds($0.p99),
                    ]
                }))
    }

    static func credentials(_ credentials: StatusDocument.Credentials, isKnown: Bool) -> HTML {
        let more = credentials.count - credentials.shown.count
        let rest = more > 0 ? note("Not shown: \(Phrase.figure(more)) that expire later or never.") : []
        let rows = credentials.shown.map { credential in
            [
                credential.label, credential.isRefused ? "refused" : state(credential.daysLeft),
                credential.daysLeft.map(Phrase.figure) ?? "–", credential.tokenAge.map(Phrase.duration) ?? "–",
                credential.output, credential.account,
                "…\(credential.key)", credential.environments.joined(separator: ", "),
            ]
        }
        let table =
            rows.isEmpty
            ? note(
                isKnown
                    ? "No credential is in use. Add one with martlet credential import."
                    : "Unknown while this worker is starting.")
            : table(
                "Credentials in use, refused ones first, then by expiry",
                [
                    .text("Credential"), .word("State"), .number("Days left"), .number("Token age"),
                    .word("Output"), .text("Account"),
                    .word("Key"), .word("Environments"),
                ], rows)
        return section("Credentials", id: "credentials", [table, rest])
    }

    private static func state(_ daysLeft: Int?) -> String {
        guard let daysLeft else { return "good" }
        return daysLeft < 0 ? "expired" : daysLeft < CredentialProblems.daysAhead ? "expires soon" : "good"
    }

    static func warnings(_ warnings: [LoggedWarning]) -> HTML {
        let rows = warnings.map { warning in
            let details = warning.details.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return [
                time(warning.at), warning.level, warning.event ?? "–",
                warning.message + (warning.times > 1 ? " (\(warning.times) times)" : ""),
                details.joined(separator: " · "),
            ]
        }
        let content =
            rows.isEmpty
            ? note("No warnings since the start.")
            : table(
                "The last warnings and errors in this worker's log, at most fifty, newest first",
                [.word("Time (UTC)"), .word("Level"), .word("Event"), .text("Message"), .text("Details")], rows)
        return section("Last warnings", id: "warnings", content)
    }

    static func configuration(_ settings: [ConfigurationSetting]) -> HTML {
        let rows = settings.map { setting in [setting.key, setting.value ?? "–", setting.origin.rawValue] }
        return section(
            "Configuration", id: "configuration",
            .element(
                "details",
                [
                    .element("summary", HTML(Phrase.count(settings.count, "setting"))),
                    table(
                        "Settings in effect and their origin; secrets are shown only as set",
                        [.word("Key"), .text("Value"), .word("Origin")], rows),
                ]))
    }

    /// Returns a timestamp without its fraction and time zone, such as `2026-11-23 01:20:11`.
    static func time(_ rfc3339: String) -> String {
        let parts = rfc3339.split(separator: "T")
        guard parts.count == 2 else { return rfc3339 }
        return "\(parts[0]) \(parts[1].prefix(8))"
    }
}
