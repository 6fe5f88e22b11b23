import Foundations
import Foundation
import HTTP2Pool
import HTTP2Session
import Logging
import Metering
import NIOCore
import PushModel

/// The source of one pool's access tokens. Used only on the pool's event loop.
// why: unchecked because only the pool's event loop uses it.
final class AccessTokenSource: @unchecked Sendable {
    private let request: AccessTokenRequest
    private let clock: @Sendable () -> Timestamp
    private let eventLoop: any EventLoop
    private let logger: Logger
    private var cache: AccessTokenCache
    private let meter: AccessTokenMeter?
    /// The amount that this pool has added to the gauge of unreachable endpoints: 0 or 1.
    private var countedUnreachable = 0
    /// Whether a refusal of the account is still unreported, because the last token was valid when the refusal arrived.
    private var hasUnreportedRefusal = false
    /// A closure that is called after each answer from the token endpoint, because ``current(now:)`` may then return
    /// something else.
    var changed: () -> Void = {}
    /// A closure that is called when the token endpoint refuses the account and no usable token is left.
    var accountRefused: (TokenRefusal, _ now: Int64) -> Void = { _, _ in }

    init(
        _ request: AccessTokenRequest, refusedMilliseconds: Int64, eventLoop: any EventLoop,
        clock: @escaping @Sendable () -> Timestamp, meter: AccessTokenMeter?, logger: Logger
    ) {
        self.request = request
        self.meter = meter
        cache = AccessTokenCache(refusedMilliseconds: refusedMilliseconds)
        self.eventLoop = eventLoop
        self.clock = clock
        self.logger = logger
    }

    /// Returns the token for a waiting push, or the reason why there is none. Requests a new token if none is usable or
    /// the current one is due for renewal. Never blocks.
    ///
    /// - Parameter now: the time in milliseconds of `Uptime`.
    func current(now: Int64) -> AccessTokenCache.Answer {
        eventLoop.assertInEventLoop()
        let (answer, fetches) = cache.needed(now: now)
        if fetches { fetch() }
        return answer
    }

    /// Renews the current token before it expires. Requests nothing if there is no token, because no push waits for
    /// one.
    func lookAhead(now: Int64) {
        eventLoop.assertInEventLoop()
        if cache.renews(now: now) { fetch() }
    }

    /// Returns whether a usable token exists, even if it is due for renewal.
    func hasToken(now: Int64) -> Bool { cache.hasToken(now: now) }

    /// Returns the time until the next token request is allowed, in whole seconds, at least one.
    func pause(now: Int64) -> Int32 { cache.pause(now: now) }

    /// Records that FCM refused this token.
    func refused(_ token: Secret) { cache.refused(token, now: Uptime.milliseconds()) }

    /// Updates the gauge of unreachable token endpoints. Called once a second and when the pool ends.
    func count(now: Int64, isLast: Bool = false) {
        let unreachables = !isLast && cache.isUnreachable(now: now) ? 1 : 0
        meter?.unreachable.add(unreachables - countedUnreachable)
        countedUnreachable = unreachables
    }

    private func fetch() {
        request.perform(now: clock(), on: eventLoop).whenSuccess { answer in
            let now = Uptime.milliseconds()
            self.meter?.count(answer)
            let isNews = self.cache.fetched(answer, now: now, random: .random(in: 0..<1))
            if isNews { self.log(answer) }
            self.report(answer, now: now)
            self.changed()
        }
    }

    private func report(_ answer: TokenAnswer, now: Int64) {
        switch answer {
        case .token: hasUnreportedRefusal = false
        case .refused(let refusal) where !cache.hasToken(now: now):
            hasUnreportedRefusal = false
            accountRefused(refusal, now)
        case .refused: hasUnreportedRefusal = true
        case .failed: break
        }
    }

    /// Reports a refusal of the account if it is still unreported, because the last token was valid when the refusal
    /// arrived.
    func reportRefusal(_ refusal: TokenRefusal, now: Int64) {
        guard hasUnreportedRefusal else { return }
        report(.refused(refusal), now: now)
    }

    private func log(_ answer: TokenAnswer) {
        switch answer {
        case .token: logger.notice(.accessTokensBack, "Access tokens are available again")
        case .refused(let refusal):
            logger.error(
                .accessTokenRefused, "Google refuses this service account an access token",
                metadata: ["error": "\(refusal)", "advice": "\(refusal.advice)"])
        case .failed(let why):
            logger.error(
                .accessTokensGone, "No access token is available; retrying",
                metadata: ["endpoint": "\(request.endpoint.authority)", "error": "\(why)"])
        }
    }
}
