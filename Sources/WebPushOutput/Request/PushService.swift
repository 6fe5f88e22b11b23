/// The vendor of a push service, as far as it makes a difference for requests or answers.
package enum PushService: Sendable, Hashable {
    case apple
    case microsoft
    /// Mozilla, Google, or any other service that follows the RFCs.
    case other

    /// Derives the vendor from a host name.
    ///
    /// - Parameter host: the host of the origin, in lower case.
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
