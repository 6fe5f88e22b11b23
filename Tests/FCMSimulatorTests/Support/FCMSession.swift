import FCMSimulator
import Foundation
import NIOCore
import SimulatorTestSupport
import Testing
import Foundations

/// An FCM simulator with its own clock and one account, and a client with an access token of that account.
final class FCMSession: Sendable {
    let simulator: SimulatedFCM
    let client: PushClient
    let bearer: String
    private let clock: TestClock

    static let token = "device-1:APA91bExample"

    private init(simulator: SimulatedFCM, clock: TestClock) async throws {
        self.simulator = simulator
        self.clock = clock
        client = try await PushClient.connect(to: simulator)
        bearer = try await Self.accessToken(client, at: clock.seconds)
    }

    static func run(
        _ configure: (inout FCMSimulatorConfiguration) -> Void = { _ in },
        _ body: (FCMSession) async throws -> Void
    ) async throws {
        let clock = TestClock()
        var configuration = FCMSimulatorConfiguration()
        configuration.now = { clock.now }
        configuration.accounts = [try TestAccount.one.get().account()]
        configure(&configuration)
        let simulator = try SimulatedFCM(configuration: configuration)
        try await simulator.start()
        do {
            try await body(FCMSession(simulator: simulator, clock: clock))
        } catch {
            await simulator.stop()
            throw error
        }
        await simulator.stop()
    }

    var control: Control { Control(port: simulator.controlPort ?? 0) }
    var now: Int { clock.seconds }

    func advance(milliseconds: Int) {
        clock.advance(milliseconds: milliseconds)
    }

    // MARK: Access tokens

    static func accessToken(
        _ client: PushClient, _ claims: TestAccount.Claims = TestAccount.Claims(), at now: Int
    ) async throws -> String {
        let answer = try await requestToken(client, assertion: TestAccount.one.get().assertion(claims, at: now))
        let match = try #require(answer.body.firstMatch(of: /"access_token":"([^"]+)"/), "\(answer)")
        return String(match.1)
    }

    static func requestToken(_ client: PushClient, assertion: String) async throws -> PushClient.Response {
        try await requestToken(
            client, form: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)")
    }

    static func requestToken(
        _ client: PushClient, form: String, contentType: String = "application/x-www-form-urlencoded"
    ) async throws -> PushClient.Response {
        try await client.push(path: "/token", fields: [("content-type", contentType)], payload: Array(form.utf8))
    }

    // MARK: Messages

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - rest: the members after the target.
    ///   - body: the whole body, or `nil` to build it from the token and `rest`.
    func send(
        to token: String = token, _ rest: String = "", body: String? = nil, project: String = TestAccount.project,
        bearer: String? = nil
    ) async throws -> PushClient.Response {
        try await start(to: token, rest, body: body, project: project, bearer: bearer).get()
    }

    func start(
        to token: String = token, _ rest: String = "", body: String? = nil, project: String = TestAccount.project,
        bearer: String? = nil
    ) -> EventLoopFuture<PushClient.Response> {
        let body = body ?? #"{"message":{"token":"\#(token)"\#(rest.isEmpty ? "" : ",")\#(rest)}}"#
        return client.start(
            path: "/v1/projects/\(project)/messages:send",
            fields: [("authorization", "Bearer \(bearer ?? self.bearer)"), ("content-type", "application/json")],
            payload: Array(body.utf8))
    }
}

/// A clock that moves only when a test advances it.
final class TestClock: Sendable {
    private let milliseconds = Mutex(1_790_000_000_000)

    var now: Date { Date(timeIntervalSince1970: Double(milliseconds.withLock { $0 }) / 1_000) }
    var seconds: Int { milliseconds.withLock { $0 } / 1_000 }

    func advance(milliseconds count: Int) {
        milliseconds.withLock { $0 += count }
    }
}
