import HTTP2Pool
import PushModel
import PushSending

/// The connection of one credential to the modelled provider, in place of a `ConnectionPool`. Production code makes the
/// requests and interprets the answers. The model leaves out frames, flow control, and pools with several connections.
///
/// | state | what happens |
/// |---|---|
/// | not connected | If pushes wait, the pool connects. |
/// | connecting | If the provider is unreachable, the attempt fails, and the next one waits for a growing back-off. |
/// | connected | The pool sends requests while a stream is free. It disconnects after 60 s without requests. |
final class SimulatedPool {
    private static let requestTimeout: Int64 = 30_000
    private static let idle: Int64 = 60_000

    private struct OnWire {
        let epoch: Int
        let sentAt: Int64
    }

    private let client: any PoolClient
    private let provider: ModelProvider
    private let credential: String
    private let streams: Int
    /// Whether connections from this worker reach the provider.
    var isReachable = true
    private let timeline: Timeline
    private let dice: Dice
    private var isConnected = false
    private var isConnecting = false
    private var failures = 0
    private var mayConnectAt: Int64 = 0
    private var epoch = 0
    private var onWire: [Int: OnWire] = [:]
    private var turnIsScheduled = false
    private var ticks = false
    private var lastUse: Int64 = 0
    private var isEnded = false

    init(_ client: any PoolClient, _ provider: ModelProvider, credential: String, _ timeline: Timeline, _ dice: Dice) {
        self.client = client
        self.provider = provider
        self.credential = credential
        streams = provider.streams(of: credential)
        self.timeline = timeline
        self.dice = dice
    }

    func scheduleTurn() {
        guard !turnIsScheduled, !isEnded else { return }
        turnIsScheduled = true
        timeline.after(microseconds: 10) { [self] in
            turnIsScheduled = false
            turn()
        }
    }

    /// Ends the pool without settling its pushes, because the worker has died.
    func end() { isEnded = true }

    private func turn() {
        guard !isEnded else { return }
        let now = timeline.milliseconds
        client.turnBegins(now: now)
        tickLater()
        if isConnected {
            while onWire.count < streams, let request = client.next(onlyUrgent: false, now: now) { send(request) }
        } else if client.waiting > 0 {
            connect()
        }
        client.filled(isUsable: isConnected, now: now)
        client.turnEnds()
    }

    private func send(_ request: PoolRequest) {
        lastUse = timeline.milliseconds
        onWire[request.tag] = OnWire(epoch: epoch, sentAt: lastUse)
        // The path consists of `/3/device/` and the token.
        let path = String(decoding: request.path, as: UTF8.self)
        guard let token = SimulatedToken(path.suffix(32)) else {
            return answer(request.tag, .status(400, reason: "BadDeviceToken"), after: 5_000)
        }
        let (answer, time) = provider.answer(token, credential: credential)
        timeline.note("request to \(token) with \(credential): \(answer) after \(time / 1_000) ms")
        self.answer(request.tag, answer, after: time)
    }

    private func answer(_ tag: Int, _ answer: ModelProvider.Answer, after time: Int64) {
        let epoch = epoch
        timeline.after(microseconds: time) { [self] in
            guard !isEnded, epoch == self.epoch else { return }
            switch answer {
            case .silence: break
            case .status(let status, let reason):
                guard let sent = onWire.removeValue(forKey: tag) else { return }
                let now = timeline.milliseconds
                if status == 200 {
                    let id: StaticString = "EABEAE54-14A8-11E5-B60B-1697F925EC7B"
                    let name: StaticString = "apns-id"
                    client.answerField(
                        tag, name: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
                        value: UnsafeRawBufferPointer(start: id.utf8Start, count: id.utf8CodeUnitCount))
                }
                let body = reason.map { #"{"reason":"\#($0)"}"# } ?? ""
                let verdict = client.answered(
                    tag, PoolAnswer(status: status, body: Array(body.utf8), milliseconds: now - sent.sentAt), now: now)
                if case .keep = verdict {} else { loseConnection() }
                scheduleTurn()
            }
        }
    }

    /// Closes the connection. The provider may have processed the requests on the wire.
    func loseConnection() {
        guard isConnected else { return }
        isConnected = false
        epoch += 1
        let lost = onWire.keys.sorted()
        onWire = [:]
        for tag in lost { client.lost(tag, .connectionLost(nil), now: timeline.milliseconds) }
        scheduleTurn()
    }

    private func connect() {
        let now = timeline.milliseconds
        guard !isConnecting, !isEnded else { return }
        isConnecting = true
        let wait = max(0, mayConnectAt - now)
        timeline.after(milliseconds: wait + dice.number(5...60)) { [self] in
            isConnecting = false
            guard !isEnded else { return }
            if provider.isReachable, isReachable {
                isConnected = true
                failures = 0
                lastUse = timeline.milliseconds
            } else {
                failures = min(failures + 1, 6)
                mayConnectAt = timeline.milliseconds + (Int64(500) << Int64(failures))
                client.connectFailed(ConnectError.noAddress("provider"), isLast: true, now: timeline.milliseconds)
            }
            scheduleTurn()
        }
    }

    private func tickLater() {
        guard !ticks else { return }
        ticks = true
        timeline.after(milliseconds: 1_000) { [self] in
            ticks = false
            tick()
        }
    }

    private func tick() {
        guard !isEnded else { return }
        let now = timeline.milliseconds
        for tag in onWire.keys.sorted() {
            guard let sent = onWire[tag], now - sent.sentAt >= Self.requestTimeout else { continue }
            onWire[tag] = nil
            client.lost(tag, .timeout, now: now)
        }
        client.tick(now: now)
        if isConnected, onWire.isEmpty, client.isEmpty, now - lastUse >= Self.idle { isConnected = false }
        // An idle pool ticks for two more minutes, so that its health drops old failures.
        if isConnected || !client.isEmpty || !onWire.isEmpty || now - lastUse < 2 * Self.idle { scheduleTurn() }
    }
}
