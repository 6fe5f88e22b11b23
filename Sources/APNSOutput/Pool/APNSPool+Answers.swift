import Logging
import NIOCore
import PushModel

/// What becomes of a push that has been on the wire.
extension APNSPool: APNSConnectionOwner {
    /// Beyond this a push that servers keep refusing unprocessed waits in a delay queue instead.
    private static let maximumResends = 5

    func answered(_ push: InFlightPush, on connection: APNSConnection) {
        let now = turnTime()
        connections.answered(after: now.uptime - push.sentAt)
        hostAnswered(now: now)
        guard push.status == 200 else { return refused(push, on: connection, at: now) }
        connections.proved(connection)
        push.push.job.tokens?.answered(nil, now: now)
        accepted(push.push.job, now: now)
        add(
            Outcome(
                job: push.push.job.routed, recipient: push.push.recipient, verdict: .sent, status: 200,
                judge: .provider, providerID: push.providerID, uniqueID: push.uniqueID,
                trimmedBytes: push.push.job.trimmedBytes(for: push.push.recipient), at: now.wall),
            of: push.push.job)
    }

    private func refused(_ push: InFlightPush, on connection: APNSConnection, at now: Moment) {
        let body = APNSErrorBody(push.body)
        let job = push.push.job
        let reason = body.reason ?? "Status\(push.status)"
        job.tokens?.answered(body.reason.flatMap(AppTokens.Fault.init(rawValue:)), now: now)
        if body.reason == "ExpiredProviderToken" { connection.tokenExpired() }
        switch APNSReason.classify(status: push.status, reason: body.reason) {
        case .tokenDead:
            connections.proved(connection)
            accepted(job, now: now)
            // A channel is in no registry of tokens.
            let isDeviceToken = !job.routed.job.isBroadcast
            settle(
                push, isDeviceToken ? .unregistered : .rejected, reason,
                unregisteredAt: isDeviceToken ? body.timestamp ?? now.wall : nil, at: now)
        case .refused:
            connections.proved(connection)
            credentialAccepted(now: now)
            settle(push, .rejected, reason, at: now)
        case .topicRefused:
            connections.proved(connection)
            credentialAccepted(now: now)
            refuse(topicOf: job, reason: reason, now: now)
            settle(push, .hold, reason, at: now)
        case .unknownRefused:
            connections.proved(connection)
            refuse(topicOf: job, reason: reason, now: now)
            settle(push, .hold, reason, at: now)
        case .credentialRefused:
            connections.proved(connection)
            refuseCredential(reason: reason, now: now)
            settle(push, .hold, reason, at: now)
        case .forbidden:
            connections.proved(connection)
            refuseCredential(reason: reason, now: now)
            settle(push, .failed, reason, at: now)
        case .retryLater:
            connections.proved(connection)
            settle(push, .retry, reason, at: now)
        case .credentialRetryOnNewConnection where push.push.resends > 0:
            leave(connection, at: now)
            refuseCredential(reason: reason, now: now)
            settle(push, .hold, reason, at: now)
        case .retryOnNewConnection where push.push.resends > 0, .retryLaterOnNewConnection:
            leave(connection, at: now)
            settle(push, .retry, reason, at: now)
        case .retryOnNewConnection, .credentialRetryOnNewConnection:
            leave(connection, at: now)
            unprocessed(push.push)
        }
    }

    private func leave(_ connection: APNSConnection, at now: Moment) {
        connections.mustGo(connection, at: now)
        connection.retire()
    }

    private func settle(
        _ push: InFlightPush, _ verdict: Outcome.Verdict, _ reason: String, unregisteredAt: Timestamp? = nil,
        at now: Moment
    ) {
        add(
            Outcome(
                job: push.push.job.routed, recipient: push.push.recipient, verdict: verdict, status: push.status,
                reason: reason, judge: .provider, providerID: push.providerID, unregisteredAt: unregisteredAt,
                retryAfterSeconds: push.retryAfterSeconds, at: now.wall),
            of: push.push.job)
    }

    func unprocessed(_ push: QueuedPush) {
        let now = turnTime()
        if push.job.isCancelled { return settle(push, .failed, reason: Outcome.cancelled, at: now) }
        if let wait = obstacle(to: push.job, now: now) { return settle(push, held: wait, at: now) }
        guard push.resends < Self.maximumResends else {
            return settle(push, .retry, reason: "StreamRefused", at: now)
        }
        if queue.isEmpty { lastProgress = now.uptime }
        queue.putBack(QueuedPush(job: push.job, recipient: push.recipient, resends: push.resends + 1))
        scheduleTurn()
    }

    func lost(_ push: QueuedPush, reason: String) {
        settle(push, .unknown, reason: reason, at: turnTime())
    }

    func goAway(_ connection: APNSConnection, reason: String?) {
        let now = turnTime()
        connections.mustGo(connection, at: now)
        if let reason, APNSReason.refusesCredential(reason) { refuseCredential(reason: reason, now: now) }
    }

    func changed(_ connection: APNSConnection) {
        scheduleTurn()
    }

    func closed(_ connection: APNSConnection, error: (any Error)?, whileConnecting: Bool) {
        let now = turnTime()
        connections.remove(connection, at: now)
        if whileConnecting, tokens == nil, let error, APNSConnectError.refusesCertificate(error) {
            refuseCredential(reason: "BadCertificate", now: now)
        }
        if whileConnecting {
            connectFailed(error ?? ChannelError.eof)
        } else if let error {
            logger.warning("APNs connection lost", metadata: ["error": "\(error)"])
        }
        scheduleTurn()
    }
}
