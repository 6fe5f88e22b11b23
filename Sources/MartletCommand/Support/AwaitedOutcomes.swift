import Foundation
package import PushModel
import Store

/// The recipients of a job whose outcomes are still missing. Result events of the job are recognised by a trace id that
/// is derived from the job's id and content. Events of another job with the same id are ignored, but events of an
/// identical copy count. A value type without clock or I/O.
package struct AwaitedOutcomes {
    package enum Word: Hashable {
        case outcome(String)
        /// The reason why workers rejected the job.
        case fault(String)
    }

    /// The address and the `ref` of a recipient. A job may contain the same recipient several times.
    private struct Addressee: Hashable {
        let recipient: String
        let ref: String?
    }

    package let count: Int
    package private(set) var openCount: Int
    private var open: [Addressee: Int] = [:]
    private var wasAllSent = true
    private var isRejected = false
    private let trace: String

    /// Creates the set of missing outcomes, one for each recipient of the job.
    ///
    /// - Parameter body: the body of the published job.
    package init(_ job: Job, body: [UInt8]) {
        trace = JobContent(body + Array(job.id.utf8)).hex
        for recipient in job.recipients {
            let ref = recipient.refJSON.flatMap { try? JSONDecoder().decode(String.self, from: Data(job.bytes($0))) }
            let text = String(decoding: job.bytes(recipient.token), as: UTF8.self)
            open[Addressee(recipient: text, ref: ref), default: 0] += 1
        }
        count = job.recipients.count
        openCount = count
    }

    /// The header `traceparent` to publish with the job. It is marked as not sampled, so that workers do not record a
    /// trace for the job.
    package var traceparent: String { "00-\(trace)-\(trace.suffix(16))-00" }

    /// Whether every push of the job was accepted, or `nil` while outcomes are missing. The value is `false` if the job
    /// was rejected.
    package var result: Bool? {
        if isRejected { return false }
        return openCount == 0 ? wasAllSent : nil
    }

    /// Records the outcomes in a result event. Only the first outcome of each recipient counts, because a crash of a
    /// worker may cause further ones.
    ///
    /// - Parameters:
    ///   - event: the body of a message from the results exchange.
    ///   - traceparent: the header `traceparent` of the message, or `nil` if it has none.
    /// - Returns: the outcomes and faults in the event, or an empty list if it belongs to another job.
    package mutating func take(_ event: [UInt8], traceparent: String?) -> [Word] {
        guard let traceparent, traceparent.dropFirst(3).prefix(32) == trace,
            let event = try? JSONDecoder().decode(Event.self, from: Data(event))
        else { return [] }
        if let faults = event.errors {
            isRejected = true
            return faults.map { .fault("\($0.field): \($0.problem)") }
        }
        var words: [Word] = []
        for outcome in event.outcomes ?? [] {
            let addressee = Addressee(recipient: outcome.recipient, ref: outcome.ref)
            guard let left = open[addressee] else { continue }
            open[addressee] = left > 1 ? left - 1 : nil
            openCount -= 1
            if event.kind != "sent" { wasAllSent = false }
            words.append(.outcome(outcome.line(of: event.kind)))
        }
        return words
    }

    private struct Event: Decodable {
        struct Fault: Decodable {
            let field, problem: String
        }
        let kind: String
        let outcomes: [Outcome]?
        let errors: [Fault]?
    }

    private struct Outcome: Decodable {
        let recipient: String
        let ref, reason, detail: String?
        let status: Int?

        func line(of kind: String) -> String {
            let facts = [ref ?? recipient, kind, status.map { String($0) }, reason].compactMap { $0 }
            return facts.joined(separator: " ") + (detail.map { ": \($0)" } ?? "")
        }
    }
}
