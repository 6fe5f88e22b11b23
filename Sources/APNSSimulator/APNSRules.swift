internal import HTTP2Session
internal import PushSimulator

/// The behaviour of APNs on one connection.
final class APNSRules: ConnectionRules {
    private let configuration: SimulatorConfiguration
    private let authority: ProviderTokenAuthority
    private let channels: BroadcastChannelService
    private let answers: ChosenAnswers<PlannedAnswer>
    /// The contents of the client's certificate, or `nil` if the client sent none.
    private let identity: ClientIdentity?
    /// Whether the client connected to the port for managing channels.
    private let managesChannels: Bool
    private let checker: RequestChecker
    private let writer: ResponseWriter
    private var weight: RefusalWeight
    // Only one thread uses this object, so exclusivity checks on the hot path would cost time and find nothing.
    @exclusivity(unchecked) private var authorization: ConnectionAuthorization
    @exclusivity(unchecked) private var requests = RequestStates()

    init(_ double: APNSDouble, _ client: ConnectingClient, _ answers: ChosenAnswers<PlannedAnswer>) throws {
        let environment = double.configuration.environment
        configuration = double.configuration
        authority = double.tokens
        channels = BroadcastChannelService(store: double.channels)
        self.answers = answers
        identity = try client.certificate.map { try ClientIdentity(derEncodedCertificate: $0) }
        managesChannels = client.port == 1
        checker = RequestChecker(
            certificate: identity.map {
                RequestChecker.Certificate(
                    isForThisEnvironment: $0.environments.contains(environment), topicCount: $0.topics.count)
            })
        writer = try ResponseWriter(namesDeliveries: environment == .sandbox)
        weight = RefusalWeight(
            beforeSlowing: double.configuration.refusalsBeforeSlowing,
            beforeGoAway: double.configuration.refusalsBeforeGoAway)
        authorization = ConnectionAuthorization(authority: double.tokens, environment: environment)
    }

    // The values other than the stream limit were observed on the live service (library aapns, pushy issue 878).
    func settings(streamLimit: Int) -> HTTP2Settings {
        let streams = identity == nil ? configuration.unauthenticatedStreamLimit : streamLimit
        return HTTP2Settings(
            headerTableSize: 4_096, maxConcurrentStreams: UInt32(clamping: streams), initialWindowSize: 65_535,
            maxFrameSize: 16_384, maxHeaderListSize: 8_000)
    }

    var isAuthenticated: Bool { identity != nil || authorization.hasAccepted }

    /// The SHA-256 hash of the client's certificate in hex, or the key id of the accepted provider token, or `nil`.
    var credential: String? { identity?.fingerprint ?? authorization.token?.keyID }

    // MARK: Receiving

    func begin(_ request: Int, on connection: SimulatorConnection) {
        requests.begin(request)
        if managesChannels {
            requests.extras(request).concernsChannels = true
            connection.keepText(of: request)
        } else if answers.needToken {
            connection.keepText(of: request)
        }
    }

    func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of request: Int,
        on connection: SimulatorConnection
    ) {
        guard let field = FieldName(name) else {
            if !requests.extras(request).otherFields.insert(name) {
                requests.states[request].facts.hasDuplicates = true
            }
            return
        }
        requests.states[request].facts.take(field, value)
        switch field {
        case .path where value.hasPrefix(BroadcastChannelService.broadcastPath):
            requests.extras(request).concernsChannels = true
            connection.keepText(of: request)
        case .authorization where identity == nil:
            authorize(request, value, on: connection)
        case .topic where identity == nil && authority.limitsTopics:
            requests.extras(request).topic = String(decoding: value, as: UTF8.self)
        case .topic where identity != nil:
            requests.states[request].facts.topicIsAllowed = identity?.covers(topic: value) ?? true
        default:
            break
        }
    }

    private func authorize(_ request: Int, _ value: UnsafeRawBufferPointer, on connection: SimulatorConnection) {
        let wasAuthenticated = authorization.hasAccepted
        requests.states[request].facts.authorization = authorization.judge(value, at: connection.now / 1_000)
        // Concurrent requests may use different related keys, so each request is judged by its own key.
        if authority.limitsTopics, case .accepted = requests.states[request].facts.authorization {
            requests.extras(request).token = authorization.token
        }
        if !wasAuthenticated, authorization.hasAccepted {
            connection.allowStreams(connection.streamLimit)
        }
    }

    func take(body bytes: UnsafeRawBufferPointer, of request: Int) {
        requests.states[request].facts.bodyLength += bytes.count
    }

    func token(of request: RequestText) -> String {
        let prefix = "\(RequestProperties.devicePath)"
        let token = request.path.hasPrefix(prefix) ? request.path.dropFirst(prefix.count) : request.path[...]
        return APNSDouble.canonical(String(token))
    }

    func close(_ request: Int) {
        requests.close(request)
    }

    // MARK: Judging

    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime {
        if let extras = requests.states[request].extras {
            // Requests about channels are checked when they are answered.
            if extras.concernsChannels { return .after(milliseconds: 0) }
            if let topic = extras.topic, let token = extras.token {
                requests.states[request].facts.topicIsAllowed = token.scope.covers(topic: topic)
                if let reason = authority.refusal(of: token.keyID, topic: topic) {
                    requests.states[request].facts.authorization = .refused(reason)
                }
            }
        }
        guard let answer = plannedAnswer(request, on: connection) else { return .after(milliseconds: 0) }
        requests.states[request].answer = answer
        return answer.time
    }

    private func plannedAnswer(_ request: Int, on connection: SimulatorConnection) -> PlannedAnswer? {
        if let reason = checker.check(requests.states[request].facts) {
            return PlannedAnswer(reason, spelledAsDocumented: configuration.spellsReasonsAsDocumented)
        }
        if let text = connection.text(of: request), let chosen = answers.take(for: text) { return chosen }
        return TokenPattern.answer(
            prefix: requests.states[request].facts.tokenPrefix, parameter: requests.states[request].facts.tokenParameter
        )
    }

    // MARK: Answering

    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer {
        if requests.states[request].extras?.concernsChannels == true {
            return try answerChannels(request, on: connection)
        }
        let answer = requests.states[request].answer ?? .accepted
        var messageID: MessageID?
        if case .valid(let given) = requests.states[request].facts.messageID {
            messageID = given
        }
        try writer.write(
            answer, messageID: messageID, withoutBody: requests.states[request].facts.isHead, to: request,
            on: connection)
        let reached = weight.add(answer)
        if reached.slowsDown { connection.allowStreams(1) }
        if reached.endsConnection { connection.goAway() }
        return GivenAnswer(status: answer.status, reason: answer.reason)
    }

    private func answerChannels(
        _ request: Int, on connection: SimulatorConnection
    ) throws(HTTP2Error) -> GivenAnswer {
        guard let text = connection.text(of: request) else { return GivenAnswer(status: 500, reason: nil) }
        let facts = requests.states[request].facts, token = requests.states[request].extras?.token
        let reply = channels.answer(
            text, isPost: facts.isPost, managesChannels: managesChannels,
            credential: { [identity, authority, configuration] app in
                var authorization = facts.authorization
                if let token, let reason = authority.refusal(of: token.keyID, topic: app) {
                    authorization = .refused(reason)
                }
                return BroadcastChannelReason(
                    authorization: authorization, scope: token?.scope, identity: identity,
                    environment: configuration.environment, app: app)
            })
        try writer.write(reply, withoutBody: facts.isHead, to: request, on: connection)
        return GivenAnswer(status: reply.status, reason: reply.reason?.rawValue)
    }

    func goAwayText(_ reason: String) -> String {
        #"{"reason":\#(jsonText(reason))}"#
    }
}
