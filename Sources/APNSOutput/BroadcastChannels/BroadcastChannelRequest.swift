package import HTTP2Session

/// A request to Apple's channel management.
package enum BroadcastChannelRequest: Equatable {
    case create(app: String, storage: BroadcastChannelStorage)
    case read(app: String, channel: String)
    case delete(app: String, channel: String)
    case list(app: String)

    private var app: String {
        switch self {
        case .create(let app, _), .read(let app, _), .delete(let app, _), .list(let app): app
        }
    }

    private var method: String {
        switch self {
        case .create: "POST"
        case .read, .list: "GET"
        case .delete: "DELETE"
        }
    }

    private var resource: String {
        if case .list = self { "all-channels" } else { "channels" }
    }

    /// The value of `:path`.
    ///
    /// - Throws: ``BroadcastChannelError/badApp(_:)`` if a path cannot contain the app.
    package var path: String {
        get throws(BroadcastChannelError) {
            guard BroadcastPath.canHold(app) else { throw .badApp(app) }
            return "/1/apps/\(app)/\(resource)"
        }
    }

    /// Returns all header fields except `:path` and the authorization.
    package func fields(authority: String) -> [HTTP2Field] {
        var fields = [
            HTTP2Field(":method", method), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
        ]
        switch self {
        case .read(_, let channel), .delete(_, let channel): fields.append(HTTP2Field("apns-channel-id", channel))
        case .create: fields.append(HTTP2Field("content-type", "application/json"))
        case .list: break
        }
        return fields
    }

    package var body: [UInt8] {
        guard case .create(_, let storage) = self else { return [] }
        return Array(#"{"message-storage-policy":\#(storage.policy),"push-type":"LiveActivity"}"#.utf8)
    }
}
