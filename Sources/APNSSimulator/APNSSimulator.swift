internal import HTTP2Session
public import Logging
internal import NIOCore
internal import NIOPosix
internal import Threading

/// Apple's push service, on this machine: TLS and HTTP/2 on loopback with a certificate authority of its own. It
/// checks requests as APNs does, answers with the right status, reason and fields, and does on demand what
/// APNs does on bad days.
///
/// Start it, let the sender under test trust ``caCertificatePEM``, push to ``port``, look at ``counters()``.
public final class APNSSimulator: Sendable {
    public let configuration: SimulatorConfiguration
    /// What vouches for the simulator's TLS certificate.
    public let certificateAuthority: CertificateAuthority

    private struct Running {
        var group: MultiThreadedEventLoopGroup
        var loops: [NIOLoopBound<SimulatorLoop>]
        var listener: any Channel
        var channelListener: (any Channel)?
        var control: ControlServer?
    }

    /// What outlives a stop: a simulator that is started again is found where it was, and has forgotten nothing.
    private struct Kept {
        var port: Int?
        var channelPort: Int?
        var controlPort: Int?
        var counters = SimulatorCounters()
        var faults = StandingFaults()
    }

    private let tokens: ProviderTokenAuthority
    private let answers = SharedAnswers()
    private let recorder = Recorder()
    private let channels: ChannelStore
    private let running = Mutex<Running?>(nil)
    private let kept = Mutex(Kept())
    let logger: Logger

    /// - Throws: ``SimulatorError`` if the certificate authority's directory can't be used.
    public init(
        configuration: SimulatorConfiguration = SimulatorConfiguration(),
        logger: Logger = Logger(label: "apns-simulator")
    ) throws {
        self.configuration = configuration
        self.logger = logger
        channels = ChannelStore(limit: configuration.channelLimit)
        certificateAuthority =
            try configuration.directory.map { try AuthorityDirectory(path: $0).loadOrCreate() }
            ?? CertificateAuthority()
        tokens = ProviderTokenAuthority(isStrict: configuration.requiresStrictTokens, keys: configuration.tokenKeys)
    }

    // MARK: Running

    /// Listens. The ports are known afterwards; after a ``stop()``, they are the same again, and counters, recordings,
    /// keys and faults are as they were.
    ///
    /// - Throws: ``SimulatorError`` naming the port that is in use or may not be used.
    public func start() async throws {
        try await start(control: nil)
    }

    /// - Parameter control: a control endpoint that has gone on meanwhile.
    private func start(control: ControlServer?) async throws {
        let kept = kept.withLock { $0 }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threads))
        do {
            let loops = try await makeLoops(group, kept.faults)
            let ports = SimulatorListener(
                configuration: configuration, authority: certificateAuthority, logger: logger)
            let listener = try await ports.listen(
                group, loops, port: kept.port ?? configuration.port, managesChannels: false)
            var running = Running(group: group, loops: loops, listener: listener, control: control)
            if let port = kept.channelPort ?? configuration.channelPort {
                do {
                    running.channelListener = try await ports.listen(
                        group, loops, port: port, managesChannels: true)
                } catch {
                    try? await listener.close()
                    throw error
                }
            }
            if control == nil, let port = kept.controlPort ?? configuration.controlPort {
                do {
                    running.control = try await ControlServer.start(
                        simulator: self, host: configuration.host, port: port, logger: logger)
                } catch {
                    try? await listener.close()
                    throw error
                }
            }
            self.kept.withLock { [running] in
                $0.port = listener.localAddress?.port
                $0.channelPort = running.channelListener?.localAddress?.port
                $0.controlPort = running.control?.port
            }
            self.running.withLock { [running] in $0 = running }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Closes all connections and the ports. Nothing happens if the simulator is not running.
    public func stop() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        await running.control?.stop()
        try? await running.listener.close()
        try? await running.channelListener?.close()
        await onEachLoop(running) { loop in
            var counted = loop.snapshot
            (counted.openConnections, counted.openStreams) = (0, 0)
            self.kept.withLock { [counted] in $0.counters.add(counted) }
            for connection in loop.connections.values {
                connection.cut()
            }
        }
        try? await running.group.shutdownGracefully()
    }

    /// The port for pushes; 0 while not running.
    public var port: Int {
        running.withLock { $0?.listener.localAddress?.port ?? 0 }
    }

    /// The port for managing channels; nil while not running or without one.
    public var channelPort: Int? {
        running.withLock { $0?.channelListener?.localAddress?.port }
    }

    /// The port of the control endpoint; nil while not running or without one.
    public var controlPort: Int? {
        running.withLock { $0?.control?.port }
    }

    // MARK: Credentials

    /// The certificate that clients must trust.
    public var caCertificatePEM: String {
        get throws { try certificateAuthority.certificatePEM }
    }

    /// The file with the certificate that clients must trust; nil if the authority is kept in memory only.
    public var caCertificatePath: String? {
        configuration.directory.map { AuthorityDirectory(path: $0).certificatePath }
    }

    /// Accepts provider tokens signed with this key from now on.
    public func register(_ key: TokenKey) {
        tokens.register(key)
    }

    /// Refuses a key's tokens from now on, on open connections too; nil: no longer.
    public func refuse(keyID: String, _ refusal: KeyRefusal? = KeyRefusal()) {
        tokens.refuse(keyID, refusal)
    }

    // MARK: Answers

    /// Chooses the answer for a device token, or for all that begin so; nil: none is chosen. The longest such choice
    /// counts.
    ///
    /// - Parameter accepted: so many requests are accepted before, as with a token that Apple finds dead late.
    public func setAnswer(_ answer: PlannedAnswer?, forToken token: String, after accepted: Int = 0) {
        answers.change { $0.set(answer, forToken: token, after: accepted) }
    }

    /// Chooses the answer for the next `count` requests that pass all checks, whatever their token.
    public func answerNext(_ count: Int, with answer: PlannedAnswer) {
        answers.change { $0.answerNext(count, with: answer) }
    }

    // MARK: Channels

    /// The broadcast channels of an app, with how many broadcasts each has got.
    public func channels(of app: String) -> [BroadcastChannel] {
        channels.channels(of: app)
    }

    /// Makes a channel without a request; nil if the app has as many as it may.
    public func createChannel(of app: String, storesMostRecent: Bool = false) -> BroadcastChannel? {
        channels.create(app: app, storesMostRecent: storesMostRecent)
    }

    /// Whether an app has the capability to broadcast, as every app has at first.
    public func setBroadcasting(enabled: Bool, of app: String) {
        channels.setFeature(enabled: enabled, app: app)
    }

    // MARK: Faults

    /// Sends GOAWAY on all connections open now.
    public func sendGoAway(_ fault: GoAwayFault = GoAwayFault()) async {
        await onEachConnection { $0.goAway(fault) }
    }

    /// Announces another limit for open streams to all connections, those to come included.
    public func changeStreamLimit(to limit: Int) async {
        await onEachLoop { loop in
            loop.streamLimit = limit
            for connection in loop.connections.values {
                connection.streamLimitChanged(to: limit)
            }
        }
    }

    /// Cuts all connections off without a word, as a failing network does.
    public func cutConnections() async {
        await onEachConnection { $0.cut() }
    }

    /// What is wrong from now on, until told otherwise.
    public func setFaults(_ faults: StandingFaults) async {
        answers.change { $0.forAll = faults.answer }
        kept.withLock { $0.faults = faults }
        await onEachLoop { $0.apply(faults) }
    }

    /// Refuses the next `count` requests unprocessed, with REFUSED_STREAM (RFC 9113, section 8.7).
    public func refuseStreams(_ count: Int) {
        answers.refuseStreams(count)
    }

    /// Stops, and starts again on the same ports after a while; all connections are lost. The control endpoint
    /// goes on.
    ///
    /// - Throws: ``SimulatorError`` if a port was taken meanwhile; CancellationError, and stays down, if cancelled.
    public func goDown(for time: Duration) async throws {
        let control = running.withLock { running in
            let control = running?.control
            running?.control = nil
            return control
        }
        await stop()
        do {
            try await Task.sleep(for: time)
            try await start(control: control)
        } catch {
            await control?.stop()
            throw error
        }
    }

    func controlRequestRefused(_ problem: String) {
        kept.withLock { $0.counters.refusedControlRequests += 1 }
        logger.notice(
            "a request to the control endpoint is refused", metadata: ["problem": "\(problem.debugDescription)"])
    }

    // MARK: Looking

    /// What has happened since the start or the last ``reset()``.
    public func counters() async -> SimulatorCounters {
        let sum = Mutex(kept.withLock(\.counters))
        await onEachLoop { loop in
            let snapshot = loop.snapshot
            sum.withLock { $0.add(snapshot) }
        }
        return sum.withLock { $0 }
    }

    /// How each key's provider tokens have been used, by key id.
    public var tokenUses: [String: TokenUse] {
        tokens.uses
    }

    /// True: requests are kept for ``recordedRequests``, at most 10,000.
    public var isRecording: Bool {
        get { recorder.isRecording }
        set { recorder.isRecording = newValue }
    }

    /// The requests that came in while recording, oldest first.
    public var recordedRequests: [RecordedRequest] {
        recorder.requests
    }

    /// How many requests came in whole for each device token while recording, whatever became of them: those
    /// whose connection was lost before the answer are among them, those said to be unprocessed, by REFUSED_STREAM or
    /// GOAWAY, are not.
    public var recordedArrivals: [String: Int] {
        recorder.arrivalsByToken
    }

    /// How many requests were answered 200 for each device token while recording.
    public var recordedAcceptances: [String: Int] {
        recorder.acceptedByToken
    }

    /// Tells the observer of every request to a device token from now on, on the thread of its connection, in place of
    /// recording it.
    package func observe(_ observer: @escaping @Sendable (_ token: String, _ sighting: RequestSighting) -> Void) {
        recorder.observe(observer)
    }

    /// Sets counters to zero and forgets chosen answers, faults, refusals of keys, recordings and stream limits.
    /// Keys, channels and open connections stay.
    public func reset() async {
        answers.change { $0 = AnswerPlan() }
        answers.refuseStreams(0)
        tokens.forgetUses()
        tokens.forgetRefusals()
        kept.withLock { ($0.counters, $0.faults) = (SimulatorCounters(), StandingFaults()) }
        recorder.reset()
        await onEachLoop { $0.reset() }
    }

    // MARK: Inside

    private func makeLoops(
        _ group: MultiThreadedEventLoopGroup, _ faults: StandingFaults
    ) async throws -> [NIOLoopBound<SimulatorLoop>] {
        var loops: [NIOLoopBound<SimulatorLoop>] = []
        for eventLoop in group.makeIterator() {
            let loop = eventLoop.submit { [configuration, tokens, answers, recorder, channels, logger] in
                let loop = try SimulatorLoop(
                    eventLoop: eventLoop, configuration: configuration, authority: tokens, answers: answers,
                    recorder: recorder, channels: ChannelService(store: channels), logger: logger)
                loop.apply(faults)
                return NIOLoopBound(loop, eventLoop: eventLoop)
            }
            loops.append(try await loop.get())
        }
        return loops
    }

    private func onEachLoop(_ body: @escaping @Sendable (SimulatorLoop) -> Void) async {
        if let running = running.withLock({ $0 }) {
            await onEachLoop(running, body)
        }
    }

    private func onEachLoop(_ running: Running, _ body: @escaping @Sendable (SimulatorLoop) -> Void) async {
        for loop in running.loops {
            // Fails only if the event loop has been shut down, with all its connections.
            try? await loop.eventLoop.submit { body(loop.value) }.get()
        }
    }

    private func onEachConnection(_ body: @escaping @Sendable (SimulatorConnection) -> Void) async {
        await onEachLoop { loop in
            for connection in loop.connections.values {
                body(connection)
            }
        }
    }
}
