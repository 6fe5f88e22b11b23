internal import Foundation
internal import PushSimulator

/// A validator of requests to send a message, used by one connection. It performs FCM's checks in FCM's order.
final class SendJudge {
    private let accounts: AccountRegistry
    private let quotas: QuotaRegistry
    private let history: SendHistory
    private let answers: ChosenAnswers<PlannedFCMAnswer>
    /// The last parsed body and its result, or `nil`. If requests are recorded, each body is needed twice.
    private var lastRead: (body: [UInt8], result: Result<SendRequest, MessageFault>)?

    init(_ double: FCMDouble, _ answers: ChosenAnswers<PlannedFCMAnswer>) {
        accounts = double.accounts
        quotas = double.quotas
        history = double.history
        self.answers = answers
    }

    /// Returns the target of a message, or `nil` if it cannot be determined.
    func target(of body: [UInt8]) -> Target? {
        let result = Result { () throws(MessageFault) in try SendRequest(body) }
        lastRead = (body, result)
        return try? result.get().target
    }

    private func read(_ body: [UInt8]) throws(MessageFault) -> SendRequest {
        if let lastRead, lastRead.body == body { return try lastRead.result.get() }
        return try SendRequest(body)
    }

    func judge(
        _ request: FCMRequest, on connection: SimulatorConnection
    ) -> (FCMRequest.Outcome, AnswerTime) {
        guard case .messages(let name, _) = request.route else { return refused(PlannedFCMAnswer(.pathNotFound)) }
        guard request.method == "POST" else { return refused(PlannedFCMAnswer(.methodNotAllowed)) }
        let now = connection.now
        if let answer = refusal(of: request.bearer, project: name, at: now) { return refused(answer) }
        guard let project = accounts.project(name) else { return refused(PlannedFCMAnswer(.notFound)) }
        if let answer = quotas.refusal(of: project, at: now) { return refused(answer) }
        let (outcome, answer) = outcome(of: request, project: project, on: connection)
        if answer.loss == nil { quotas.settle(answer.status, of: project) }
        return (outcome, answer.when)
    }

    private func refused(_ answer: PlannedFCMAnswer) -> (FCMRequest.Outcome, AnswerTime) {
        (.answer(answer), answer.when)
    }

    /// Returns the answer that refuses a bearer for a project, or `nil` if the bearer may send.
    private func refusal(of bearer: Bearer, project name: String, at now: Int64) -> PlannedFCMAnswer? {
        switch bearer {
        case .missing:
            return PlannedFCMAnswer(.unauthenticated, message: FCMReason.thirdPartyAuthError.message)
        case .unknown:
            return PlannedFCMAnswer(.unauthenticated)
        case .known(let token):
            if token.expiresAt <= now { return PlannedFCMAnswer(.unauthenticated) }
            // If the project does not exist, the caller answers 404, as FCM does for every valid bearer.
            guard let project = accounts.project(name) else { return nil }
            guard token.maySend else {
                return PlannedFCMAnswer(
                    .permissionDenied, message: "Request had insufficient authentication scopes.")
            }
            guard token.project == project else { return PlannedFCMAnswer(.permissionDenied) }
            return accounts.refusal(of: token.email)?.sendFault.map { PlannedFCMAnswer($0) }
        }
    }

    /// Checks a request that uses quota, and returns the decision about it.
    private func outcome(
        of request: FCMRequest, project: String, on connection: SimulatorConnection
    ) -> (FCMRequest.Outcome, PlannedFCMAnswer) {
        func refused(_ answer: PlannedFCMAnswer) -> (FCMRequest.Outcome, PlannedFCMAnswer) { (.answer(answer), answer) }
        do throws(MessageFault) {
            try checkForm(request)
            let send = try read(request.body)
            try send.check()
            let answer = answer(to: send, on: connection)
            return answer.fault == nil ? (.accepted(send, project: project), answer) : refused(answer)
        } catch {
            return refused(PlannedFCMAnswer(error))
        }
    }

    private func checkForm(_ request: FCMRequest) throws(MessageFault) {
        if case .messages(_, let fault?) = request.route { throw MessageFault(fault) }
        if case .other(let text) = request.contentType,
            text.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() != "application/json"
        {
            throw MessageFault(field: "", description: "Invalid content type: \"\(text)\".")
        }
        if request.isTooLong { throw .fcm("message", "Message is too big.") }
    }

    private func answer(to send: SendRequest, on connection: SimulatorConnection) -> PlannedFCMAnswer {
        let now = connection.now
        if !send.isDryRun, let violation = history.arrived(send, at: now) { connection.count(violation.rawValue) }
        let chosen = answers.needToken ? answers.take(forToken: send.target.text) : nil
        let answer = chosen ?? TokenPattern.answer(to: send.target) ?? .accepted
        // FCM contacts no third parties in a dry run, so an error of a third party becomes an acceptance.
        if send.isDryRun { return answer.fault == .thirdPartyAuthError ? .accepted : answer }
        if answer.loss == nil { history.answered(send, answer, at: now) }
        return answer
    }
}
