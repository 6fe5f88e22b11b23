internal import HTTP2Channel
internal import HTTP2Session
internal import NIOCore

/// The processing of requests on one connection. It collects requests, lets the rules judge and answer them, and
/// records and counts them. All work is done in callbacks on the connection's event loop.
final class RequestFlow: HTTP2ServerDelegate, HTTP2ChannelObserver {
    private let loop: SimulatorLoop
    private let rules: any ConnectionRules
    private let connection: SimulatorConnection
    private let channel: any Channel
    private let windowDelay: TimeAmount?
    private var detector: StallDetector

    init(loop: SimulatorLoop, channel: any Channel, rules: any ConnectionRules) throws {
        self.loop = loop
        self.rules = rules
        self.channel = channel
        detector = StallDetector(round: loop.round)
        let windowDelay = loop.faults.windowDelayMilliseconds
        self.windowDelay = windowDelay > 0 ? .milliseconds(Int64(windowDelay)) : nil
        let session = try HTTP2ServerSession(
            settings: rules.settings(streamLimit: loop.streamLimit), grantsWindowByHand: windowDelay > 0)
        connection = SimulatorConnection(
            loop: loop, channel: channel, session: session, longestText: rules.longestText)
    }

    /// Starts serving requests by adding the HTTP/2 handler behind TLS in the channel's pipeline.
    func start() throws {
        connection.session.delegate = self
        connection.handler.observer = self
        loop.connectionOpened(self)
        do {
            try channel.pipeline.syncOperations.addHandler(connection.handler)
        } catch {
            loop.connectionClosed(self)
            throw error
        }
        rules.opened(connection)
    }

    var openStreams: Int {
        connection.requests.count
    }

    // MARK: Requests

    func requestStarted(streamID: Int32) -> Int {
        let tag = connection.requests.insert(stream: streamID, round: loop.round)
        loop.counters.streamsOpen(connection.requests.count)
        if loop.recorder.isRecording { connection.keepText(of: tag) }
        rules.begin(tag, on: connection)
        return tag
    }

    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        rules.take(name, value, of: tag, on: connection)
        connection.requests.states[tag].text?.take(name, value)
    }

    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        rules.take(body: bytes, of: tag)
        connection.requests.states[tag].text?.take(body: bytes)
        guard let windowDelay else { return }
        let stream = connection.requests.states[tag].stream
        loop.eventLoop.assumeIsolated().scheduleTask(in: windowDelay) { [connection, count = bytes.count] in
            connection.consume(count, stream: stream)
        }
    }

    func requestRefused(streamID: Int32) {
        loop.counters.simple.refusedStreams += 1
        rules.streamRefused(on: connection)
    }

    func requestMalformed(streamID: Int32, problem: String) {
        loop.requestMalformed(problem)
    }

    func requestEnded(tag: Int, streamID: Int32) {
        loop.eventLoop.assertInEventLoop()
        connection.requests.states[tag].begun = nil
        if loop.refusals.take() {
            loop.counters.simple.refusedStreams += 1
            return connection.reset(streamID, .refusedStream)
        }
        loop.counters.simple.arrivals += 1
        if let text = connection.requests.states[tag].text { arrived(text) }
        if loop.faults.silence != .none { return withhold(tag) }
        switch rules.judge(tag, on: connection) {
        case .never: withhold(tag)
        case .after(let milliseconds): answer(tag, after: milliseconds + loop.faults.answerDelayMilliseconds)
        case .reset(let milliseconds):
            withhold(tag)
            later(tag, after: milliseconds) { $0.connection.reset(streamID, .internalError) }
        case .cut(let milliseconds):
            withhold(tag)
            later(tag, after: milliseconds) { $0.connection.cut() }
        }
    }

    private func withhold(_ tag: Int) {
        loop.counters.simple.withheld += 1
        settle(tag, nil)
    }

    private func answer(_ tag: Int, after milliseconds: Int) {
        if milliseconds == 0 { return answer(tag) }
        later(tag, after: milliseconds) { $0.answer(tag) }
    }

    /// Runs `act` after a delay, unless the request is closed during the delay.
    private func later(_ tag: Int, after milliseconds: Int, _ act: @escaping (RequestFlow) -> Void) {
        let generation = connection.requests.states[tag].generation
        loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            guard !self.connection.isClosed, self.connection.requests.states[tag].generation == generation else {
                return
            }
            act(self)
            self.connection.handler.setNeedsFlush()
        }
    }

    private func answer(_ tag: Int) {
        do throws(HTTP2Error) {
            let given = try rules.answer(tag, on: connection)
            loop.counters.answered(given)
            settle(tag, given)
        } catch {
            loop.answerImpossible(error)
            connection.reset(connection.requests.states[tag].stream, .internalError)
        }
    }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        if let text = connection.requests.states[tag].text, text.isUnanswered, connection.disowns(streamID) {
            loop.recorder.disowned(at: text.token)
        }
        settle(tag, nil)
        rules.close(tag)
        connection.requests.remove(tag)
    }

    // MARK: Recording

    private func arrived(_ text: RequestText) {
        text.token = rules.token(of: text)
        guard loop.recorder.isRecording else { return }
        (text.isUnsettled, text.isUnanswered) = (true, true)
        loop.recorder.arrived(at: text.token)
    }

    /// Records the result of a request, at most once for each request.
    private func settle(_ tag: Int, _ answer: GivenAnswer?) {
        guard let text = connection.requests.states[tag].text, text.isUnsettled else { return }
        text.isUnsettled = false
        text.isUnanswered = answer == nil
        loop.recorder.record(
            text.record(answer: answer, credential: rules.credential), isAccepted: answer?.isAcceptance ?? false)
    }

    // MARK: Faults on demand

    func goAway(_ fault: GoAwayFault) {
        loop.eventLoop.preconditionInEventLoop()
        let code = HTTP2ErrorCode(rawValue: fault.code), text = fault.reason.map(rules.goAwayText) ?? ""
        if fault.announcesFirst {
            connection.goAwayInTwoSteps(lastStreamID: fault.lastStreamID, code: code, debugText: text)
        } else {
            connection.goAway(lastStreamID: fault.lastStreamID, code: code, debugText: text)
        }
    }

    func streamLimitChanged(to limit: Int) {
        if rules.isAuthenticated { connection.allowStreams(limit) }
    }

    func silence(_ isSilent: Bool) {
        if !isSilent {
            detector.restart(at: loop.round)
            connection.requests.restart(at: loop.round)
        }
        connection.silence(isSilent)
    }

    func cut() {
        connection.cut()
    }

    // MARK: Incomplete requests

    /// Ends requests and connections that exceed the timeout. Called in each round of the event loop.
    func endWhatTakesTooLong() {
        if let problem = detector.problem(unfinishedHeaders: connection.session.unfinishedHeaders, at: loop.round) {
            loop.timedOut(problem.text)
            connection.goAway(code: problem.code)
            return connection.handler.close()
        }
        // A client whose flow-control window is delayed cannot send its body in time.
        guard windowDelay == nil else { return }
        for tag in connection.requests.indices
        where StallDetector.isTooLong(since: connection.requests.states[tag].begun, at: loop.round) {
            let stream = connection.requests.states[tag].stream
            connection.requests.states[tag].begun = nil
            loop.timedOut("stream \(stream): the request is incomplete")
            connection.reset(stream, .cancel)
        }
    }

    // MARK: Connection

    func channelClosed(error: (any Error)?) {
        connection.isClosed = true
        if let error = error as? HTTP2Error { loop.connectionBroken(error) }
        for tag in connection.requests.indices {
            settle(tag, nil)
        }
        rules.closed()
        loop.connectionClosed(self)
    }

    func settingsAcknowledged() {
        detector.settingsAcknowledged()
    }

    func pingReceived() {
        rules.pinged(on: connection)
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {}

    func pingAcknowledged(_ payload: UInt64) {}
}
