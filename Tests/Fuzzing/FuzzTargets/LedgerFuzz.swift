import Foundation
import OutcomeLedger
import PushModel
import Store

/// A fuzz target for the outcome ledger. Any event on the results exchange is either rejected with a reason, or becomes
/// rows that the database accepts.
enum LedgerFuzz {
    private static let forms: [String: RecipientForm] = ["apns": .hex(maximumDigits: 512), "fcm": .text]
    /// The years 0 to 9999, extended by one day at both ends because of time zones.
    private static let times = Timestamp(seconds: -62_167_305_600)...Timestamp(seconds: 253_402_387_199)

    static func violation(in input: [UInt8]) -> String? {
        let rows: [LedgerRow]
        do throws(LedgerFault) {
            rows = try LedgerEvent.rows(of: input, forms: forms)
        } catch {
            return error.description.isEmpty ? "refused without a reason" : nil
        }
        guard let event = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any] else {
            return "rows from an event that is not an object"
        }
        let reported = event["kind"] as? String == LedgerKind.rejection ? 1 : (event["outcomes"] as? [Any])?.count
        guard rows.count == reported else {
            return "\(rows.count) rows of \(reported.map { "\($0)" } ?? "no") outcomes"
        }
        for row in rows {
            if let violation = violation(of: row) { return violation }
        }
        return nil
    }

    private static func violation(of row: LedgerRow) -> String? {
        for text in [
            row.kind, row.job, row.output, row.app, row.environment, row.ref, row.reason, row.detail, row.providerID,
            row.worker,
        ].compactMap(\.self) {
            if text.utf8.contains(0) { return "a text contains NUL, which PostgreSQL rejects" }
            if text.utf8.count > 1_024 { return "a text of \(text.utf8.count) bytes" }
        }
        if let status = row.status, !(0...999).contains(status) { return "status \(status)" }
        if !(1...Int(Int32.max)).contains(row.attempts) { return "\(row.attempts) attempts" }
        if let recipient = row.recipient, recipient.count != 16 { return "an address of \(recipient.count) bytes" }
        if row.kind == LedgerKind.rejection, row.recipient != nil { return "a job that can't be used has a recipient" }
        return times.contains(row.at) ? nil : "at \(row.at)"
    }
}
