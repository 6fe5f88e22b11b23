internal import HTTP2Session
internal import PushSimulator

/// The header fields of the answer with which a persona accepts a message.
struct Acceptance {
    let fields: [HTTP2Field]

    /// Creates the header fields.
    ///
    /// - Parameters:
    ///   - origin: the origin of the endpoint.
    ///   - life: the message's time to live, in seconds.
    ///   - location: a URL to return as the message's location, or `nil` for the persona's usual one.
    init(
        _ persona: Persona, origin: String, life: Int, location: String?, from random: inout SplitMixGenerator
    ) {
        let number = String(UInt64.random(in: (1 << 60)...(.max), using: &random), radix: 16)
        switch persona {
        case .apple:
            let id = "\(number.prefix(8))-0000-4000-8000-\(number.suffix(12))".uppercased()
            fields = [HTTP2Field("apns-id", id)] + (location.map { [HTTP2Field("location", $0)] } ?? [])
        case .mozilla:
            fields = [
                HTTP2Field("location", location ?? "\(origin)/m/gAAAAA\(number)"),
                HTTP2Field("ttl", String(min(life, persona.longestLife))),
            ]
        case .google:
            fields = [HTTP2Field("location", location ?? "\(origin)/0:\(number)%e609af1cf9fd7ecd")]
        case .microsoft:
            fields = [
                HTTP2Field("x-wns-status", "received"), HTTP2Field("x-wns-notificationstatus", "received"),
                HTTP2Field("x-wns-msg-id", number.uppercased()),
                HTTP2Field("location", location ?? "\(origin)/m/\(number)"),
            ]
        }
    }
}
