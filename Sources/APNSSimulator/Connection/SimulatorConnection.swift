internal import HTTP2Channel
internal import HTTP2Session
internal import NIOCore
internal import NIOSSL

/// One client's connection: collects requests, has them checked, answers. Everything happens in callbacks on
/// the connection's event loop.
final class SimulatorConnection: HTTP2ServerDelegate, HTTP2ChannelObserver {
    private let loop: SimulatorLoop
    private let channel: any Channel
    private let handler: HTTP2ChannelHandler<HTTP2ServerSession>
    private let session: HTTP2ServerSession
    private let identity: ClientIdentity?
    private let checker: RequestChecker
    // One event loop, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) private var authorization: ConnectionAuthorization
    @exclusivity(unchecked) private var requests = RequestSlab()
    private var isClosed = false
    private let windowDelay: TimeAmount?
    private let managesChannels: Bool
    /// The last stream that is processed, by a GOAWAY; nil: none was sent.
    private var lastProcessed: Int32?
    /// What refusals so far weigh.
    private var refusals = 0
    private var watch: ProgressWatch

    /// - Parameter identity: what the client's certificate says; nil if it showed none.
    /// - Parameter managesChannels: the connection is one to the port for channels.
    init(
        loop: SimulatorLoop, channel: any Channel, identity: ClientIdentity?, managesChannels: Bool = false
    ) throws {
        self.managesChannels = managesChannels
        self.loop = loop
        watch = ProgressWatch(round: loop.round)
        self.channel = channel
        self.identity = identity
        authorization = ConnectionAuthorization(
            authority: loop.authority, environment: loop.configuration.environment)
        checker = RequestChecker(
            certificate: identity.map {
                RequestChecker.Certificate(
                    isForThisEnvironment: $0.environments.contains(loop.configuration.environment),
                    topicCount: $0.topics.count)
            })
        let streams = identity == nil ? loop.configuration.unauthenticatedStreamLimit : loop.streamLimit
        let windowDelay = loop.faults.windowDelayMilliseconds
        self.windowDelay = windowDelay > 0 ? .milliseconds(Int64(windowDelay)) : nil
        // As observed on the live service (aapns, pushy#878).
        session = try HTTP2ServerSession(
            settings: HTTP2Settings(
                headerTableSize: 4_096, maxConcurrentStreams: UInt32(clamping: streams), initialWindowSize: 65_535,
                maxFrameSize: 16_384, maxHeaderListSize: 8_000), grantsWindowByHand: windowDelay > 0)
        handler = HTTP2ChannelHandler(session: session)
    }

    /// Starts serving, in place of whatever follows TLS in the channel's pipeline.
    func start() throws {
        session.delegate = self
        handler.observer = self
        loop.connectionOpened(self)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            loop.connectionClosed(self)
            throw error
        }
    }

    var openStreams: Int {
        requests.count
    }

    // MARK: Requests

    func requestStarted(streamID: Int32) -> Int {
        let tag = requests.insert(stream: streamID, round: loop.round)
        loop.streamsOpen(requests.count)
        if managesChannels { requests.extras(tag).channelRequest = ChannelRequest() }
        if loop.recorder.isRecording || loop.answers.needToken {
            requests.extras(tag).text = RequestText()
        }
        return tag
    }

    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let field = FieldName(name)
        if field == .path, value.hasPrefix(ChannelRequest.broadcastPath) {
            let extras = requests.extras(tag)
            extras.channelRequest = extras.channelRequest ?? ChannelRequest()
        }
        requests[tag].extras?.take(name, value)
        guard let field else {
            if !requests.extras(tag).otherFields.insert(name) { requests[tag].facts.hasDuplicates = true }
            return
        }
        requests[tag].facts.take(field, value)
        switch field {
        case .authorization where identity == nil:
            authorize(tag, value)
        case .topic where identity == nil && loop.authority.limitsTopics:
            requests.extras(tag).topic = String(decoding: value, as: UTF8.self)
        case .topic where identity != nil:
            requests[tag].facts.topicIsAllowed = identity?.covers(topic: value) ?? true
        default:
            break
        }
    }

    private func authorize(_ tag: Int, _ value: UnsafeRawBufferPointer) {
        let wasAuthenticated = authorization.hasAccepted
        requests[tag].facts.authorization = authorization.judge(value, at: loop.now / 1_000)
        // Requests with related keys may overlap: each is judged by its own.
        if loop.authority.limitsTopics, case .accepted = requests[tag].facts.authorization {
            requests.extras(tag).token = authorization.token
        }
        if !wasAuthenticated, authorization.hasAccepted {
            changeStreamLimit(loop.streamLimit)
        }
    }

    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        requests[tag].facts.bodyLength += bytes.count
        requests[tag].extras?.take(body: bytes)
        if let windowDelay { giveBack(window: bytes.count, stream: requests[tag].stream, after: windowDelay) }
    }

    private func giveBack(window bytes: Int, stream: Int32, after delay: TimeAmount) {
        loop.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            guard !self.isClosed else { return }
            do {
                try self.session.consume(bytes, stream: stream)
            } catch {
                // The connection is ending.
            }
            self.handler.setNeedsFlush()
        }
    }

    func requestRefused(streamID: Int32) {
        loop.streamRefused()
    }

    func requestMalformed(streamID: Int32, problem: String) {
        loop.requestMalformed(problem)
    }

    func requestEnded(tag: Int, streamID: Int32) {
        requests[tag].begun = nil
        if loop.answers.takeStreamRefusal() { return refuse(streamID) }
        loop.requestArrived()
        let extras = requests[tag].extras
        if let text = extras?.text, loop.recorder.isRecording {
            (text.isUnsettled, text.isUnanswered) = (true, true)
            loop.recorder.arrived(at: text.token)
        }
        if loop.faults.silence != .none { return withhold(tag) }
        if let request = extras?.channelRequest {
            return after(milliseconds: loop.faults.answerDelayMilliseconds, tag) { $0.answerChannels(tag, request) }
        }
        if let topic = extras?.topic, let token = extras?.token {
            requests[tag].facts.topicIsAllowed = token.scope.covers(topic: topic)
            if let reason = loop.authority.refusal(of: token.keyID, topic: topic) {
                requests[tag].facts.authorization = .refused(reason)
            }
        }
        let planned = plannedAnswer(tag)
        if planned.isWithheld { return withhold(tag) }
        let delay = planned.delayMilliseconds + loop.faults.answerDelayMilliseconds
        if delay == 0 { return answer(tag, planned) }
        after(milliseconds: delay, tag) { $0.answer(tag, planned) }
    }

    private func plannedAnswer(_ tag: Int) -> PlannedAnswer {
        if let reason = checker.check(requests[tag].facts) {
            return PlannedAnswer(reason, spelledAsDocumented: loop.configuration.spellsReasonsAsDocumented)
        }
        if let text = requests[tag].extras?.text, let chosen = loop.answers.takeAnswer(forToken: text.token) {
            return chosen
        }
        let prefix = requests[tag].facts.tokenPrefix, parameter = requests[tag].facts.tokenParameter
        return TokenPattern.answer(prefix: prefix, parameter: parameter) ?? .accepted
    }

    private func answerChannels(_ tag: Int, _ request: ChannelRequest) {
        let facts = requests[tag].facts, token = requests[tag].extras?.token
        let reply = loop.channels.answer(
            request, isPost: facts.isPost, managesChannels: managesChannels,
            credential: { [identity, loop] app in
                var authorization = facts.authorization
                if let token, let reason = loop.authority.refusal(of: token.keyID, topic: app) {
                    authorization = .refused(reason)
                }
                return ChannelReason(
                    authorization: authorization, scope: token?.scope, identity: identity,
                    environment: loop.configuration.environment, app: app)
            })
        let answer = PlannedAnswer(status: reply.status, reason: reply.reason?.rawValue)
        loop.answered(answer)
        finishRecord(tag, answer)
        do {
            let fields = try HTTP2Fields(
                [HTTP2Field(":status", String(reply.status))] + reply.fields.map { HTTP2Field($0.key, $0.value) })
            try session.respond(
                to: requests[tag].stream, fields: fields,
                body: facts.isHead ? nil : reply.body.map { HTTP2Body($0.utf8) })
        } catch {
            // The client has reset the stream meanwhile: there is nobody left to answer.
        }
    }

    private func refuse(_ stream: Int32) {
        loop.streamRefused()
        reset(stream, .refusedStream)
    }

    private func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        do {
            try session.reset(stream, code: code)
        } catch {
            // The connection is ending.
        }
        handler.setNeedsFlush()
    }

    private func withhold(_ tag: Int) {
        loop.answerWithheld()
        finishRecord(tag, nil)
    }

    /// Does something for a request, unless that is over by then.
    private func after(milliseconds: Int, _ tag: Int, _ body: @escaping (SimulatorConnection) -> Void) {
        if milliseconds == 0 { return body(self) }
        let generation = requests[tag].generation
        loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            guard !self.isClosed, self.requests[tag].generation == generation else { return }
            body(self)
            self.handler.setNeedsFlush()
        }
    }

    private func answer(_ tag: Int, _ answer: PlannedAnswer) {
        loop.answered(answer)
        finishRecord(tag, answer)
        var messageID: MessageID?
        if case .valid(let given) = requests[tag].facts.messageID {
            messageID = given
        }
        do {
            try loop.writer.write(
                answer, messageID: messageID, withoutBody: requests[tag].facts.isHead, to: requests[tag].stream,
                on: session, now: loop.now)
        } catch {
            // The client has reset the stream meanwhile: there is nobody left to answer.
        }
        if (400..<500).contains(answer.status), answer.status != 410 { weigh(answer) }
    }

    /// Too many refusals slow a connection down, and end it (Apple: "Handling error responses from APNs").
    private func weigh(_ answer: PlannedAnswer) {
        let before = refusals
        refusals += answer.reason == RejectionReason.badDeviceToken.rawValue ? 5 : 1
        if let limit = loop.configuration.refusalsBeforeSlowing, before < limit, refusals >= limit {
            changeStreamLimit(1)
        }
        if let limit = loop.configuration.refusalsBeforeGoAway, before < limit, refusals >= limit {
            goAway(GoAwayFault())
        }
    }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        if let lastProcessed, streamID > lastProcessed, let text = requests[tag].extras?.text,
            text.isUnanswered
        {
            loop.recorder.disowned(at: text.token)
        }
        finishRecord(tag, nil)
        requests.remove(tag)
    }

    private func finishRecord(_ tag: Int, _ answer: PlannedAnswer?) {
        guard let text = requests[tag].extras?.text, text.isUnsettled else { return }
        text.isUnsettled = false
        text.isUnanswered = answer == nil
        loop.recorder.record(
            text.record(answer: answer, credential: identity?.fingerprint ?? authorization.token?.keyID))
    }

    // MARK: Faults on demand

    func goAway(_ fault: GoAwayFault) {
        loop.eventLoop.preconditionInEventLoop()
        if fault.announcesFirst {
            announceGoAway(before: fault)
            return
        }
        let last = fault.lastStreamID ?? session.lastStreamID
        let before = lastProcessed
        // The streams above it close in the next call.
        lastProcessed = min(last, before ?? last)
        do {
            try session.goAway(
                lastStreamID: last, code: HTTP2ErrorCode(rawValue: fault.code), debugData: Array(fault.debugText.utf8))
        } catch {
            lastProcessed = before
            // Not possible for this connection: it is ending already, or an earlier GOAWAY named a lower stream.
        }
        handler.setNeedsFlush()
    }

    private func announceGoAway(before fault: GoAwayFault) {
        do {
            try session.announceGoAway()
        } catch {
            return
        }
        handler.setNeedsFlush()
        var second = fault
        second.announcesFirst = false
        loop.eventLoop.assumeIsolated().scheduleTask(in: Self.timeBetweenGoAways) { [second] in
            guard !self.isClosed else { return }
            self.goAway(second)
        }
    }

    /// A round trip or more, so that requests under way arrive in between.
    private static var timeBetweenGoAways: TimeAmount { .milliseconds(200) }

    /// Announces the limit, unless the connection still has to show who it is.
    func streamLimitChanged(to limit: Int) {
        if identity != nil || authorization.hasAccepted {
            changeStreamLimit(limit)
        }
    }

    private func changeStreamLimit(_ limit: Int) {
        do {
            try session.changeSettings(HTTP2Settings(maxConcurrentStreams: UInt32(clamping: limit)))
        } catch {
            // The connection is ending.
        }
        handler.setNeedsFlush()
    }

    /// Reads nothing any more, so that nothing is answered either; or goes on where it stopped.
    func silence(_ isSilent: Bool) {
        if !isSilent {
            watch.restart(at: loop.round)
            requests.restart(at: loop.round)
        }
        channel.setOption(.autoRead, value: !isSilent).whenComplete { _ in }
    }

    /// Ends the connection as a lost network does: no GOAWAY, no TLS farewell.
    func cut() {
        loop.eventLoop.preconditionInEventLoop()
        guard let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return channel.close(promise: nil)
        }
        // Closing from here leaves TLS out of it: an outbound event starts at the handler before.
        tls.close(promise: nil)
    }

    // MARK: What does not come in whole

    /// Called in each of the loop's rounds.
    func endWhatTakesTooLong() {
        if let problem = watch.problem(unfinishedHeaders: session.unfinishedHeaders, at: loop.round) {
            loop.timedOut(problem.text)
            goAway(GoAwayFault(code: problem.code.rawValue))
            return handler.close()
        }
        // Who is not given window can't send a body.
        guard windowDelay == nil else { return }
        for tag in requests.indices
        where ProgressWatch.isTooLong(since: requests[tag].begun, at: loop.round) {
            requests[tag].begun = nil
            loop.timedOut("stream \(requests[tag].stream): a request that does not end")
            reset(requests[tag].stream, .cancel)
        }
    }

    // MARK: Connection

    func channelClosed(error: (any Error)?) {
        isClosed = true
        if let error = error as? HTTP2Error { loop.connectionBroken(error) }
        for tag in requests.indices {
            finishRecord(tag, nil)
        }
        loop.connectionClosed(self)
    }

    func settingsAcknowledged() {
        watch.settingsAcknowledged()
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {}

    func pingAcknowledged(_ payload: UInt64) {}
}
