import EventNames
import Foundation
import HTTP2Pool
import HTTP2Session
import Logging
import Metering
import NIOCore
import PushModel

/// Where the access token of one pool comes from. On the pool's event loop.
// why: unchecked for that reason; nothing of it is touched from elsewhere.
final class AccessTokenSource: @unchecked Sendable {
    private let request: AccessTokenRequest
    private let clock: @Sendable () -> Timestamp
    private let eventLoop: any EventLoop
    private let logger: Logger
    private var cache = AccessTokenCache()
    private let unreachable: MetricCell?
    /// As far as it is counted.
    private var countedUnreachable = 0
    /// Called when ``current(now:)`` may answer something else.
    var changed: () -> Void = {}

    /// - Parameter unreachable: other pools on this event loop may count in it, too.
    init(
        _ request: AccessTokenRequest, eventLoop: any EventLoop, clock: @escaping @Sendable () -> Timestamp,
        unreachable: MetricCell?, logger: Logger
    ) {
        self.request = request
        self.unreachable = unreachable
        self.eventLoop = eventLoop
        self.clock = clock
        self.logger = logger
    }

    /// The token to use now, for something that waits. Never blocks.
    ///
    /// - Parameter now: milliseconds of ``Uptime``.
    func current(now: Int64) -> AccessTokenCache.Answer {
        eventLoop.assertInEventLoop()
        let (answer, fetches) = cache.needed(now: now)
        if fetches { fetch() }
        return answer
    }

    /// FCM does not take this token.
    func refused(_ token: Secret) { cache.refused(token, now: Uptime.milliseconds()) }

    /// Once a second, and when its pool ends.
    func count(now: Int64, isLast: Bool = false) {
        let unreachables = !isLast && cache.isUnreachable(now: now) ? 1 : 0
        unreachable?.add(unreachables - countedUnreachable)
        countedUnreachable = unreachables
    }

    private func fetch() {
        request.perform(now: clock(), on: eventLoop).whenSuccess { answer in
            let isNews = self.cache.fetched(answer, now: Uptime.milliseconds(), random: .random(in: 0..<1))
            if isNews { self.log(answer) }
            self.changed()
        }
    }

    private func log(_ answer: TokenAnswer) {
        switch answer {
        case .token: logger.notice(.accessTokensBack, "Access tokens can be had again")
        case .refused(let refusal):
            logger.error(
                .accessTokenRefused, "Google gives this service account no access token",
                metadata: ["error": "\(refusal)", "advice": "\(refusal.advice)"])
        case .failed(let why):
            logger.error(
                .accessTokensGone, "No access token can be had, trying again",
                metadata: ["endpoint": "\(request.endpoint.authority)", "error": "\(why)"])
        }
    }
}
