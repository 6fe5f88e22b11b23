import Foundations
import HTTP2Pool
import HTTP2Session
import NIOCore
import PushModel

/// A request for an access token of a service account (RFC 7523, section 2.1).
struct AccessTokenRequest: Sendable {
    /// The request timeout in seconds. Without a usable token, all messages of the account wait for this request.
    private static let timeoutSeconds = 10

    private let signer: AssertionSigner
    private let uri: TokenURI
    private let pool: PoolConfiguration

    var endpoint: Endpoint { uri.endpoint }

    /// Creates a request for the tokens of an account.
    ///
    /// - Throws: ``ServiceAccount/Fault`` if the configuration does not allow the account's `token_uri`.
    init(_ account: ServiceAccount, _ configuration: FCMConfiguration) throws(ServiceAccount.Fault) {
        if let problem = account.tokenURI.problem(allowing: configuration.tokenEndpoint) {
            throw ServiceAccount.Fault(description: problem)
        }
        signer = AssertionSigner(account)
        uri = account.tokenURI
        var pool = configuration.pool(to: account.tokenURI.endpoint, service: "Google's token endpoint")
        pool.requestTimeoutSeconds = Self.timeoutSeconds
        self.pool = pool
    }

    /// Sends the request. The future never fails, because a failure is also a ``TokenAnswer``.
    func perform(now: Timestamp, on eventLoop: any EventLoop) -> EventLoopFuture<TokenAnswer> {
        eventLoop.makeFutureWithTask {
            do {
                let fields = try HTTP2Fields([
                    HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"),
                    HTTP2Field(":authority", uri.endpoint.authority), HTTP2Field("accept", "application/json"),
                    HTTP2Field("content-type", "application/x-www-form-urlencoded"),
                ])
                let answer = try await SingleRequest.perform(
                    fields: fields, path: uri.path, body: HTTP2Body(try signer.form(now: now)), with: pool,
                    on: eventLoop)
                return TokenAnswer(status: answer.status, body: answer.body)
            } catch {
                return .failed("\(error)")
            }
        }
    }
}
