internal import HTTP2Pool
internal import HTTP2Session
internal import NIOPosix
public import PushModel

extension PushProvider {
    /// Checks with one request whether the provider accepts a credential, for `OutputCredentials.check(_:_:)`.
    ///
    /// - Parameter request: A request that the provider answers only after it has checked the credential. If the check
    ///   must not deliver a push, use a request that the provider then rejects for another reason.
    /// - Throws: `SettingFault` if a setting is invalid.
    public func check(
        _ question: CredentialQuestion, with request: PushRequest, _ context: OutputContext
    ) async throws -> CredentialFinding {
        let configuration = try ProviderConfiguration(context.settings)
        let server: PushServer
        do {
            server = try self.server(for: question.credential, in: question.environment)
        } catch {
            return CredentialFinding(.unusable("\(error)"))
        }
        do {
            return finding(of: try await answer(to: request, from: server, configuration, now: context.clock))
        } catch let fault as PushFault {
            return CredentialFinding(.unusable(fault.detail ?? fault.reason))
        } catch {
            return CredentialFinding(.unreachable("\(error)"), advice: "check the network path to the server")
        }
    }

    private func answer(
        to request: PushRequest, from server: PushServer, _ configuration: ProviderConfiguration,
        now: () -> Timestamp
    ) async throws -> PushAnswer {
        let answer = try await SingleRequest.perform(
            fields: try PushRequest.fields(of: server, authority: server.endpoint.authority, adding: request),
            path: request.path.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, body: request.body,
            with: configuration.pool(to: server.endpoint, service: "the provider"),
            on: MultiThreadedEventLoopGroup.singleton.next())
        return PushAnswer(status: answer.status, fields: answer.fields, body: answer.body, now: now())
    }

    private func finding(of answer: PushAnswer) -> CredentialFinding {
        switch meaning(of: answer) {
        case .accepted, .unregistered, .rejected:
            CredentialFinding(.accepted("the provider answered a request with status \(answer.status)"))
        case .credentialRefused(let fault), .refusedAmbiguously(let fault):
            CredentialFinding(.refused(status: answer.status, reason: fault.reason), advice: fault.detail)
        case .retry(let fault, _), .throttled(let fault, _), .unknown(let fault):
            CredentialFinding(
                .unreachable("the provider answered with status \(answer.status) (\(fault.reason))"),
                advice: "try again later")
        }
    }
}
