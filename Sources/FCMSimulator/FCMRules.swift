internal import HTTP2Session
internal import PushSimulator

/// The behaviour of FCM on one connection.
final class FCMRules: ConnectionRules {
    private let configuration: FCMSimulatorConfiguration
    private let accounts: AccountRegistry
    private let judge: SendJudge
    private let writer: ResponseWriter
    // Only one thread uses this object, so exclusivity checks on the hot path would cost time and find nothing.
    @exclusivity(unchecked) private var requests: [FCMRequest] = []
    private var authority = Memo<String>(), routes = Memo<Route>(), bearers = Memo<Bearer>()
    private var bearersEdition = 0
    private var lastActivity: Int64 = 0
    private var pings = 0, taken = 0

    let longestText = 65_536

    init(_ double: FCMDouble, _ answers: ChosenAnswers<PlannedFCMAnswer>) throws {
        configuration = double.configuration
        accounts = double.accounts
        judge = SendJudge(double, answers)
        writer = try ResponseWriter()
    }

    // MARK: Connection

    func opened(_ connection: SimulatorConnection) {
        lastActivity = connection.now
        watchIdleness(of: connection, after: configuration.idleTime)
    }

    private func watchIdleness(of connection: SimulatorConnection, after milliseconds: Int64) {
        connection.schedule(afterMilliseconds: milliseconds) { [weak self] connection in
            guard let self else { return }
            let rest = configuration.idleTime - (connection.now - lastActivity)
            guard rest <= 0, connection.openRequests == 0 else {
                return watchIdleness(of: connection, after: rest > 0 ? rest : configuration.idleTime)
            }
            end(connection, .noError, "session_timed_out")
        }
    }

    func streamRefused(on connection: SimulatorConnection) {
        end(connection, .protocolError, "exceeded_max_concurrent_streams")
    }

    func pinged(on connection: SimulatorConnection) {
        pings += 1
        if pings > configuration.pingsTolerated { end(connection, .enhanceYourCalm, "too_many_pings") }
    }

    private func end(_ connection: SimulatorConnection, _ code: HTTP2ErrorCode, _ word: String) {
        connection.count(word)
        connection.goAway(code: code, debugText: word)
        connection.close()
    }

    // MARK: Receiving

    func begin(_ request: Int, on connection: SimulatorConnection) {
        lastActivity = connection.now
        if request == requests.count { requests.append(FCMRequest()) }
    }

    func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of request: Int,
        on connection: SimulatorConnection
    ) {
        switch name.count {
        case 5 where name.equals(":path"): requests[request].route = routes.value(of: value, Route.init)
        case 7 where name.equals(":method"): requests[request].method = String(decoding: value, as: UTF8.self)
        case 10 where name.equals(":authority"): _ = authority.value(of: value) { $0 }
        case 12 where name.equals("content-type"):
            requests[request].contentType =
                value.equals("application/json") ? .json : .other(String(decoding: value, as: UTF8.self))
        case 13 where name.equals("authorization"): requests[request].bearer = bearer(value)
        default: break
        }
    }

    private func bearer(_ value: UnsafeRawBufferPointer) -> Bearer {
        if bearersEdition != accounts.currentEdition {
            bearersEdition = accounts.currentEdition
            bearers.forget()
        }
        return bearers.value(of: value) { [accounts] text in
            guard text.lowercased().hasPrefix("bearer ") else { return .unknown }
            return accounts.token(String(text.dropFirst("bearer ".count))).map(Bearer.known) ?? .unknown
        }
    }

    func take(body bytes: UnsafeRawBufferPointer, of request: Int) {
        let room = longestText - requests[request].body.count
        if bytes.count > room { requests[request].isTooLong = true }
        requests[request].body.append(contentsOf: bytes.prefix(room))
    }

    func token(of request: RequestText) -> String {
        guard case .messages = Route(path: request.path), let target = judge.target(of: request.body) else {
            return request.path
        }
        return target.text
    }

    func close(_ request: Int) {
        requests[request] = FCMRequest()
    }

    // MARK: Judging and answering

    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime {
        lastActivity = connection.now
        taken += 1
        // The GOAWAY names the last stream that was read. It therefore declares requests that have not arrived yet as
        // unprocessed.
        if taken == configuration.requestsBeforeShutdown { connection.goAway(debugText: "server_shutting_down") }
        let (outcome, time) =
            requests[request].route == .accessTokens
            ? accessToken(request, on: connection) : judge.judge(requests[request], on: connection)
        requests[request].outcome = outcome
        return time
    }

    private func accessToken(
        _ request: Int, on connection: SimulatorConnection
    ) -> (FCMRequest.Outcome, AnswerTime) {
        if let fault = accounts.tokenFault { return (.answer(fault), fault.when) }
        var contentType = "application/json"
        if case .other(let text) = requests[request].contentType { contentType = text }
        let host = authority.last ?? ""
        let reply = TokenEndpoint(accounts: accounts, lifetime: configuration.tokenLifetime).answer(
            method: requests[request].method, contentType: contentType, body: requests[request].body,
            url: "https://\(host)\(TokenEndpoint.path)", at: connection.now)
        return (.accessToken(reply), .after(milliseconds: 0))
    }

    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer {
        switch requests[request].outcome {
        case .accepted(let send, let project):
            writer.accept(send, project: project, request, on: connection)
            return GivenAnswer(status: 200, reason: nil, isAcceptance: !send.isDryRun)
        case .answer(let answer):
            return try refuse(answer, request, on: connection)
        case .accessToken(let reply):
            try writer.write(reply, request, on: connection)
            return GivenAnswer(status: reply.status, reason: reply.error, isAcceptance: false)
        case .undecided:
            return try refuse(PlannedFCMAnswer(.internalError), request, on: connection)
        }
    }

    private func refuse(
        _ answer: PlannedFCMAnswer, _ request: Int, on connection: SimulatorConnection
    ) throws(HTTP2Error) -> GivenAnswer {
        let fault = answer.fault ?? .internalError
        try writer.refuse(
            answer, fault, withoutBody: requests[request].method == "HEAD", request, on: connection)
        return GivenAnswer(status: fault.status, reason: fault.rawValue)
    }
}
