import HTTP2Pool
import HTTP2Session
package import NIOCore
package import PushModel

/// A client that manages the broadcast channels of an app (Apple: "Sending channel management requests to APNs"). Each
/// request opens its own connection, because people create channels only occasionally.
package struct BroadcastChannelClient: Sendable {
    private let credential: Credential
    private let environment: PushEnvironment
    private let configuration: APNSConfiguration
    private let eventLoop: any EventLoop
    private let tokens: any SharedTokenStore

    /// Creates a client.
    ///
    /// - Parameter tokens: the store of the key's provider token, which the client shares with the workers.
    package init(
        credential: Credential, environment: PushEnvironment, configuration: APNSConfiguration,
        tokens: any SharedTokenStore, eventLoop: any EventLoop
    ) {
        self.credential = credential
        self.environment = environment
        self.configuration = configuration
        self.tokens = tokens
        self.eventLoop = eventLoop
    }

    /// Creates a channel.
    ///
    /// - Returns: the id of the new channel, a base64 text that must be stored and used unchanged.
    /// - Throws: ``BroadcastChannelError``, or an error of the configuration, the credential or the token store.
    package func create(app: String, storage: BroadcastChannelStorage) async throws -> String {
        let answer = try await ask(.create(app: app, storage: storage))
        guard let id = answer.fields["apns-channel-id"], !id.isEmpty else {
            throw BroadcastChannelError.unexpected("status \(answer.status) without an apns-channel-id")
        }
        return id
    }

    /// Returns the ids of all channels of an app in this environment.
    ///
    /// - Throws: ``BroadcastChannelError``, or an error of the configuration, the credential or the token store.
    package func list(app: String) async throws -> [String] {
        let answer = try await ask(.list(app: app))
        guard let ids = BroadcastChannelAnswer.channels(in: answer.body) else {
            throw BroadcastChannelError.unexpected("a body without a list of channels")
        }
        return ids
    }

    /// Returns the policy by which a channel stores messages for offline devices.
    ///
    /// - Throws: ``BroadcastChannelError``, or an error of the configuration, the credential or the token store.
    package func storage(of channel: String, app: String) async throws -> BroadcastChannelStorage {
        let answer = try await ask(.read(app: app, channel: channel))
        guard let storage = BroadcastChannelAnswer.storage(in: answer.body) else {
            throw BroadcastChannelError.unexpected("a body without a message-storage-policy")
        }
        return storage
    }

    /// Deletes a channel.
    ///
    /// - Throws: ``BroadcastChannelError``, or an error of the configuration, the credential or the token store.
    package func delete(_ channel: String, app: String) async throws {
        _ = try await ask(.delete(app: app, channel: channel))
    }

    private func ask(_ request: BroadcastChannelRequest) async throws -> SingleRequest.Answer {
        let endpoint = configuration.channelsEndpoint(for: environment)
        let pool = try configuration.pool(to: endpoint, with: credential)
        let path = try request.path
        let fields = try HTTP2Fields(
            request.fields(authority: endpoint.authority) + (await tokens.authorization(for: credential)))
        let answer: SingleRequest.Answer
        do {
            answer = try await SingleRequest.perform(
                fields: fields, path: path, body: HTTP2Body(request.body), with: pool, on: eventLoop)
        } catch let error as SingleRequestError {
            throw BroadcastChannelError(error)
        }
        guard (200..<300).contains(answer.status) else {
            throw BroadcastChannelError.refused(status: answer.status, reason: APNSErrorBody(answer.body).reason)
        }
        return answer
    }
}
