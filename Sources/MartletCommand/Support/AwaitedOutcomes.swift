import Foundation
package import PushModel
import Store

/// Which recipients of a job have had their outcome. It knows the job's own events by a trace that is made of its id and its
/// content: the outcomes of another job with that id are not this one's, those of a copy, byte for byte, are. A value: no clock, no
/// I/O.
package struct AwaitedOutcomes {
    package enum Word: Hashable {
        case outcome(String)
        /// Why the job can't be used.
        case fault(String)
    }

    /// A job may name one several times.
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

    /// - Parameter body: the job as published.
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

    /// To be published with the job, which workers do not trace for it.
    package var traceparent: String { "00-\(trace)-\(trace.suffix(16))-00" }

    /// Nil: not all have an outcome yet. Else whether all were sent.
    package var result: Bool? {
        if isRejected { return false }
        return openCount == 0 ? wasAllSent : nil
    }

    /// The first outcome of each recipient counts; after a crash there may be others.
    ///
    /// - Parameters:
    ///   - event: whatever the results exchange has given.
    ///   - traceparent: what came with it.
    /// - Returns: what it says of this job.
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
