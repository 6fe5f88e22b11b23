import AMQPClient
import Foundation
package import PushModel
package import Store

/// A decoder that turns result events into rows of the outcome ledger.
package enum LedgerEvent {
    /// The maximum length of a stored string, in bytes. Longer strings are truncated.
    private static let mostBytes = 1_024

    /// Returns the ledger rows for the outcomes in a result event.
    ///
    /// - Parameters:
    ///   - body: the body of the event, in JSON.
    ///   - forms: the address form of each output, by the name of the output.
    /// - Throws: ``LedgerFault`` if the body is not a valid result event.
    package static func rows(of body: [UInt8], forms: [String: RecipientForm]) throws(LedgerFault) -> [LedgerRow] {
        guard let event = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            throw LedgerFault("is not a JSON object")
        }
        guard let kind = text(event, "kind") else { throw LedgerFault("has no kind") }
        guard kind != "job.rejected" else { return [try rejection(event, kind)] }
        guard let outcomes = event["outcomes"] as? [[String: Any]] else { throw LedgerFault("has no outcomes") }
        var shared = LedgerRow(at: Timestamp(seconds: 0), kind: kind, job: "")
        shared.output = text(event, "output")
        shared.app = text(event, "app")
        shared.environment = text(event, "environment")
        shared.worker = text(event, "worker")
        let form = shared.output.flatMap { forms[$0] } ?? .text
        var rows: [LedgerRow] = []
        rows.reserveCapacity(outcomes.count)
        for (index, outcome) in outcomes.enumerated() {
            guard let row = row(of: outcome, shared, form) else {
                throw LedgerFault("outcomes[\(index)] has no job or no time")
            }
            rows.append(row)
        }
        return rows
    }

    /// Returns the time of a rejection, or of the earliest outcome in a result event. Returns `nil` if the event is
    /// malformed.
    static func time(of body: [UInt8]) -> Timestamp? {
        guard let event = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else { return nil }
        return moment(event) ?? (event["outcomes"] as? [[String: Any]])?.compactMap(moment).min()
    }

    private static func row(of outcome: [String: Any], _ shared: LedgerRow, _ form: RecipientForm) -> LedgerRow? {
        guard let job = text(outcome, "job"), let at = moment(outcome) else { return nil }
        var row = shared
        row.job = job
        row.at = at
        row.ref = text(outcome, "ref")
        row.recipient = (outcome["recipient"] as? String).map {
            LedgerRow.hash(of: form.canonical($0), output: shared.output ?? "")
        }
        row.status = (outcome["status"] as? Int).flatMap { (0...999).contains($0) ? $0 : nil }
        row.reason = text(outcome, "reason")
        row.detail = text(outcome, "detail")
        row.providerID = providerID(outcome)
        row.attempts = min(max(1, outcome["attempts"] as? Int ?? 1), Int(Int32.max))
        row.isRedelivered = outcome["redelivered"] as? Bool ?? false
        return row
    }

    /// Returns the provider's id for the push, or `nil` if the outcome has none. The name of this field depends on the
    /// output and ends with `_id`, for example `receiver_id`. A field that ends with `_unique_id` has a different id.
    private static func providerID(_ outcome: [String: Any]) -> String? {
        outcome.keys.filter { $0.hasSuffix("_id") && !$0.hasSuffix("_unique_id") }.min().flatMap { text(outcome, $0) }
    }

    private static func rejection(_ event: [String: Any], _ kind: String) throws(LedgerFault) -> LedgerRow {
        guard let at = moment(event) else { throw LedgerFault("has no time") }
        var row = LedgerRow(at: at, kind: kind, job: text(event, "job") ?? "")
        row.app = text(event, "app")
        row.worker = text(event, "worker")
        let error = (event["errors"] as? [[String: Any]])?.first ?? [:]
        row.reason = text(error, "field")
        row.detail = text(error, "problem")
        return row
    }

    private static func moment(_ object: [String: Any]) -> Timestamp? {
        (object["at"] as? String).flatMap(Timestamp.init(rfc3339:))
    }

    /// Returns a string of a JSON object in the form in which the ledger stores it. Returns `nil` if the member is
    /// missing or not a string.
    private static func text(_ object: [String: Any], _ key: String) -> String? {
        (object[key] as? String).map { LedgerText.kept($0, most: mostBytes) }
    }
}

/// The conversion of strings to the form in which the ledger stores them. A search must convert its strings in the same
/// way.
package enum LedgerText {
    package static func kept(_ text: String, most: Int = 1_024) -> String {
        text.replacing("\0", with: "\u{FFFD}").cut(toBytes: most)
    }
}

/// The reason why a message of the results exchange is not a result event.
package struct LedgerFault: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
