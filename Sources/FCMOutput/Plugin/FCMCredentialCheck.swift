import HTTP2Pool
import HTTP2Session
import NIOCore
import PushModel

/// A check of a service account: whether Google issues an access token to it, and whether FCM accepts a message with
/// that token. FCM only validates the message, so nothing is delivered.
struct FCMCredentialCheck {
    /// The topic of the validated message. It needs no subscribers.
    private static let topic = "martlet-check"

    let configuration: FCMConfiguration
    let clock: @Sendable () -> Timestamp
    let eventLoop: any EventLoop

    /// Runs the check.
    ///
    /// - Parameter recipient: the registration token for which the message is validated, or `nil` to use a topic.
    func run(_ credential: Credential, recipient: String?) async -> CredentialFinding {
        let account: ServiceAccount
        let request: AccessTokenRequest
        do {
            account = try ServiceAccount(of: credential)
            request = try AccessTokenRequest(account, configuration)
        } catch {
            return CredentialFinding(.unusable("\(error)"))
        }
        let token: TokenAnswer
        do {
            token = try await eventLoop.flatSubmit { request.perform(now: clock(), on: eventLoop) }.get()
        } catch {
            token = .failed("\(error)")
        }
        switch token {
        case .refused(let refusal):
            return CredentialFinding(.refused(status: nil, reason: "\(refusal)"), advice: refusal.advice)
        case .failed(let why):
            return CredentialFinding(
                .unreachable("\(account.tokenURI.endpoint) returned no access token: \(why)"),
                advice: "the credential was not tested: check the network path to this host, and any proxy")
        case .token(let token, _):
            return await validate(with: token, for: credential.account, recipient: recipient)
        }
    }

    private func validate(with token: Secret, for project: String, recipient: String?) async -> CredentialFinding {
        var target: [UInt8] = []
        JSONText.append(recipient ?? Self.topic, to: &target)
        let body =
            #"{"validate_only":true,"message":{"\#(recipient == nil ? "topic" : "token")":"#
            + String(decoding: target, as: UTF8.self) + "}}"
        do {
            let answer = try await SingleRequest.perform(
                fields: try .fcm(authority: configuration.endpoint.authority, token: token),
                path: "/v1/projects/\(project)/messages:send", body: HTTP2Body(body.utf8),
                with: configuration.pool(), on: eventLoop)
            return Self.finding(answer)
        } catch {
            return CredentialFinding(
                .unreachable("\(error)"),
                advice: "got an access token; check the network path to \(configuration.endpoint), and any proxy")
        }
    }

    private static func finding(_ answer: SingleRequest.Answer) -> CredentialFinding {
        if answer.status == 200 {
            return CredentialFinding(.accepted("FCM has validated a message; nothing was sent"))
        }
        let body = FCMErrorBody(answer.body)
        let reason = (body.errorCode ?? body.status).map(ShownText.word) ?? "Status\(answer.status)"
        let shown = [reason, body.detail].compactMap { $0 }.joined(separator: ": ")
        let meaning = FCMAnswer(status: answer.status, body, retryAfter: 0)
        if meaning.acceptsCredential {
            return CredentialFinding(.accepted("authenticated; FCM would refuse the message (\(shown))"))
        }
        let advice =
            switch answer.status {
            case 401:
                "Google issued an access token, but FCM rejects it: try again in a minute"
            case 403:
                "grant the account the role Firebase Cloud Messaging API Admin in this project, and enable the API; "
                    + "this takes up to a minute"
            case 404: "there is no such project: compare it with the Firebase console"
            default: "try again later"
            }
        return CredentialFinding(.refused(status: answer.status, reason: shown), advice: advice)
    }
}
