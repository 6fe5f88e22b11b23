internal import Foundation
internal import PushSimulator

/// A service that answers broadcasts and channel requests in the same way as APNs. Apple does not document the order of
/// the checks.
struct BroadcastChannelService: Sendable {
    /// A closure that returns the reason why the connection's credential is not valid for an app, or `nil` if it is
    /// valid.
    typealias CredentialCheck = (_ app: String) -> BroadcastChannelReason?

    /// The maximum size of a broadcast's body, in bytes.
    static let greatestPayload = 5_120
    static let broadcastPath: StaticString = "/4/broadcasts/"

    let store: BroadcastChannelStore

    /// Answers a broadcast or a channel request.
    ///
    /// - Parameter isPost: whether the method is POST. The request's text may lack the method, because the text is kept
    ///   only after the path has arrived.
    func answer(
        _ request: RequestText, isPost: Bool, managesChannels: Bool, credential: CredentialCheck
    ) -> BroadcastChannelReply {
        var reply: BroadcastChannelReply
        do throws(Refusal) {
            reply = try managesChannels ? manage(request, credential) : broadcast(request, isPost, credential)
        } catch {
            reply = .refused(error.reason)
        }
        // The answer repeats the request's `apns-request-id`. A missing or invalid id is replaced with a new one.
        let id = request.fields["apns-request-id"].flatMap { UUID(uuidString: $0) == nil ? nil : $0 }
        reply.fields["apns-request-id"] = id ?? UUID().uuidString
        if reply.body != nil { reply.fields["content-type"] = "application/json" }
        return reply
    }

    private struct Refusal: Error {
        let reason: BroadcastChannelReason
    }

    private func refuse(_ reason: BroadcastChannelReason) -> Refusal { Refusal(reason: reason) }

    // MARK: Broadcasts

    /// Answers a broadcast: `POST /4/broadcasts/apps/<bundle id>`.
    private func broadcast(
        _ request: RequestText, _ isPost: Bool, _ credential: CredentialCheck
    ) throws(Refusal) -> BroadcastChannelReply {
        let parts = request.parts
        guard parts.count == 4, parts[2] == "apps" else { throw refuse(.badPath) }
        guard isPost else { throw refuse(.methodNotAllowed) }
        let app = String(parts[3])
        try checkApp(app, request, credential)
        guard let id = request.fields["apns-channel-id"] else { throw refuse(.missingChannelID) }
        guard let type = request.fields["apns-push-type"] else { throw refuse(.missingPushType) }
        // Apple's documentation spells this value with and without capital letters.
        guard type.lowercased() == "liveactivity" else { throw refuse(.invalidPushType) }
        guard let expiration = request.fields["apns-expiration"].flatMap(Int64.init), expiration >= 0 else {
            throw refuse(.badExpirationDate)
        }
        guard ["1", "5", "10"].contains(request.fields["apns-priority"]) else { throw refuse(.badPriority) }
        let channel = try find(id, app)
        guard channel.storesMostRecent || expiration == 0 else { throw refuse(.badExpirationDate) }
        guard !request.body.isEmpty else { throw refuse(.payloadEmpty) }
        guard request.body.count <= Self.greatestPayload else { throw refuse(.payloadTooLarge) }
        store.broadcast(to: id, of: app)
        return BroadcastChannelReply(status: 200)
    }

    private func checkApp(
        _ app: String, _ request: RequestText, _ credential: CredentialCheck
    ) throws(Refusal) {
        if let reason = credential(app) { throw refuse(reason) }
        if TopicSuffix.allCases.dropFirst().contains(where: { app.hasSuffix("\($0.text)") }) {
            throw refuse(.topicDisallowed)
        }
        guard store.hasFeature(app) else { throw refuse(.featureNotEnabled) }
        if let id = request.fields["apns-request-id"], UUID(uuidString: id) == nil { throw refuse(.badMessageID) }
    }

    private func find(_ id: String, _ app: String) throws(Refusal) -> BroadcastChannel {
        guard Data(base64Encoded: id) != nil else { throw refuse(.badChannelID) }
        guard let channel = store.find(id, of: app) else { throw refuse(.channelNotRegistered) }
        return channel
    }

    // MARK: Channels

    /// Answers a channel request: `/1/apps/<bundle id>/channels` or `/1/apps/<bundle id>/all-channels`.
    private func manage(_ request: RequestText, _ credential: CredentialCheck) throws(Refusal) -> BroadcastChannelReply
    {
        let parts = request.parts
        guard parts.count == 4, parts[0] == "1", parts[1] == "apps" else { throw refuse(.badPath) }
        let app = String(parts[2])
        switch (parts[3], request.method) {
        case ("channels", "POST"):
            try checkApp(app, request, credential)
            return try create(request, app)
        case ("channels", "GET"):
            try checkApp(app, request, credential)
            let policy = try named(request, app).storesMostRecent ? 1 : 0
            return BroadcastChannelReply(
                status: 200, body: #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
        case ("channels", "DELETE"):
            try checkApp(app, request, credential)
            store.delete(try named(request, app).id, of: app)
            return BroadcastChannelReply(status: 204)
        case ("all-channels", "GET"):
            try checkApp(app, request, credential)
            let ids = store.channels(of: app).map { jsonText($0.id) }
            return BroadcastChannelReply(status: 200, body: #"{"channels":[\#(ids.joined(separator: ","))]}"#)
        case ("channels", _), ("all-channels", _): throw refuse(.methodNotAllowed)
        default: throw refuse(.badPath)
        }
    }

    private func named(_ request: RequestText, _ app: String) throws(Refusal) -> BroadcastChannel {
        guard let id = request.fields["apns-channel-id"] else { throw refuse(.missingChannelID) }
        return try find(id, app)
    }

    private struct Wish: Decodable {
        var policy: Int?
        var pushType: String?

        enum CodingKeys: String, CodingKey {
            case policy = "message-storage-policy", pushType = "push-type"
        }
    }

    private func create(_ request: RequestText, _ app: String) throws(Refusal) -> BroadcastChannelReply {
        guard !request.body.isEmpty else { throw refuse(.payloadEmpty) }
        guard let wish = try? JSONDecoder().decode(Wish.self, from: Data(request.body)) else {
            throw refuse(.badRequestPayload)
        }
        guard let type = wish.pushType else { throw refuse(.missingPushType) }
        guard type.lowercased() == "liveactivity" else { throw refuse(.invalidPushType) }
        guard let policy = wish.policy, [0, 1].contains(policy) else { throw refuse(.missingChannelQueueSize) }
        guard let channel = store.create(app: app, storesMostRecent: policy == 1) else {
            throw refuse(.cannotCreateChannel)
        }
        return BroadcastChannelReply(status: 201, fields: ["apns-channel-id": channel.id])
    }
}

extension RequestText {
    /// The components of the request's path.
    fileprivate var parts: [Substring] { path.split(separator: "/") }
}
