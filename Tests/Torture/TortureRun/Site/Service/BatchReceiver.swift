import Crypto
import Foundation
import Foundations
import WireTestSupport

/// The logic of a webhook receiver. It verifies the signatures of batches and returns an outcome for each recipient.
final class BatchReceiver: Sendable {
    private struct Batch: Decodable {
        struct Recipient: Decodable {
            let i: Int
            let token: String
        }

        let recipients: [Recipient]
    }

    private struct State {
        var secrets: [SymmetricKey] = []
        var fault: ServiceFault?
        /// The number of batches that the fault still affects.
        var left = 0
    }

    /// The reason in the outcomes of dead and bad recipients.
    static let reason = "Torture"

    private let log: RunLog
    private let state = Mutex(State())

    init(_ log: RunLog) { self.log = log }

    func trust(_ secret: [UInt8]) { state.withLock { $0.secrets.append(SymmetricKey(data: secret)) } }

    /// Sets the fault of the receiver.
    ///
    /// - Parameters:
    ///   - fault: the fault from now on, or `nil` for none.
    ///   - batches: the number of batches that the fault affects.
    func set(_ fault: ServiceFault?, batches: Int = .max) { state.withLock { ($0.fault, $0.left) = (fault, batches) } }

    private func takeFault() -> ServiceFault? {
        state.withLock { state in
            guard state.left > 0 else { return nil }
            state.left -= 1
            return state.fault
        }
    }

    func take(_ request: HTTP1Server.Request) -> HTTP1Server.Reaction {
        guard isSigned(request) else {
            log.odd("a batch without a valid signature")
            return .answer(401)
        }
        guard let batch = try? JSONDecoder().decode(Batch.self, from: Data(request.body)) else {
            log.odd("a batch that cannot be read: \(String(decoding: request.body, as: UTF8.self))")
            return .answer(400)
        }
        let recipients = batch.recipients.compactMap { BatchRecipient(place: $0.i, token: $0.token) }
        if recipients.count < batch.recipients.count { log.odd("a batch for unknown recipients: \(batch)") }
        note(recipients) { _ in .arrived }
        switch takeFault() {
        case .slow(let milliseconds): return answer(recipients, after: Int64(milliseconds))
        case .next(_, let word), .always(let word): return refuse(recipients, word)
        case .partialAnswers: return answer(recipients) { !$0.place.isMultiple(of: 3) }
        case .wrongWords: return leave(recipients, .answer(200, "all is well"))
        case .cutAnswers:
            return leave(recipients, .end("HTTP/1.1 200 Said\r\ncontent-length: 999\r\n\r\n{\"outcomes\":["))
        case .silence: return leave(recipients, .nothing)
        default: return answer(recipients)
        }
    }

    private func note(_ recipients: [BatchRecipient], _ what: (BatchRecipient) -> SightingRecord.What) {
        let now = currentMilliseconds()
        for recipient in recipients {
            log.add(SightingRecord(recipient: recipient.id, what: what(recipient), at: now))
        }
    }

    /// Records the recipients as unanswered, and returns a reaction that reports no outcomes.
    private func leave(_ recipients: [BatchRecipient], _ reaction: HTTP1Server.Reaction) -> HTTP1Server.Reaction {
        note(recipients) { _ in .unanswered }
        return reaction
    }

    /// Answers a batch with outcomes.
    ///
    /// - Parameter isReported: a closure that returns whether the answer contains an outcome for a recipient.
    private func answer(
        _ recipients: [BatchRecipient], after milliseconds: Int64 = 0,
        _ isReported: (BatchRecipient) -> Bool = { _ in true }
    ) -> HTTP1Server.Reaction {
        note(recipients) { isReported($0) ? $0.what : .unanswered }
        let outcomes = recipients.compactMap { isReported($0) ? $0.outcome : nil }.joined(separator: ",")
        let isSlow = recipients.contains { $0.kind == .slow }
        return .answer(200, "{\"outcomes\":[\(outcomes)]}", after: max(milliseconds, isSlow ? 30 : 0))
    }

    /// Refuses a batch. After a 5xx without `Retry-After`, the recipients count as unanswered, because a receiver may
    /// have accepted some of them (docs/webhook.md).
    private func refuse(_ recipients: [BatchRecipient], _ answer: ServiceAnswer) -> HTTP1Server.Reaction {
        switch answer {
        case .tooMany(let seconds): refuse(recipients, 429, seconds)
        case .unavailable(let seconds?): refuse(recipients, 503, seconds)
        case .unavailable(nil): leave(recipients, .answer(503))
        case .broken, .mismatch: leave(recipients, .answer(500))
        }
    }

    private func refuse(_ recipients: [BatchRecipient], _ status: Int, _ seconds: Int?) -> HTTP1Server.Reaction {
        note(recipients) { _ in .answered(status) }
        return .answer(status, fields: seconds.map { ["retry-after: \($0)"] } ?? [])
    }

    /// Returns whether one of the batch's signatures was made with one of the receiver's secrets. The scheme is
    /// Standard Webhooks: HMAC-SHA256 over id, time and body.
    private func isSigned(_ request: HTTP1Server.Request) -> Bool {
        guard let id = request.fields["webhook-id"], let time = request.fields["webhook-timestamp"],
            let signatures = request.fields["webhook-signature"]?.split(separator: " ").map(String.init)
        else { return false }
        let signed = Array("\(id).\(time).".utf8) + request.body
        return state.withLock { $0.secrets }.contains { secret in
            let code = Data(HMAC<SHA256>.authenticationCode(for: signed, using: secret))
            return signatures.contains("v1,\(code.base64EncodedString())")
        }
    }
}
