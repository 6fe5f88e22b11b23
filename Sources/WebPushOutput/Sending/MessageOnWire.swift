import PushModel

/// The data about a message on the wire that Web Push needs in addition to `PushOnWire`.
struct MessageOnWire {
    let token: VAPIDToken
    let sentAt: Timestamp
}
