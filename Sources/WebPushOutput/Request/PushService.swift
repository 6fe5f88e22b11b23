/// Whose service an origin is, as far as that makes a difference.
package enum PushService: Sendable, Hashable {
    case apple
    case microsoft
    /// Mozilla, Google, and whoever else keeps to the RFCs.
    case other

    /// - Parameter host: in lower case.
    package init(host: String) {
        if host.hasSuffix(".push.apple.com") {
            self = .apple
        } else if host.hasSuffix(".notify.windows.com") {
            self = .microsoft
        } else {
            self = .other
        }
    }
}
