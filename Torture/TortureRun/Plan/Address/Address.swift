/// The address of a recipient in a job.
struct Address {
    /// The name of the JSON member: `token`, `fid`, and so on.
    private let member: String
    /// The address as JSON.
    private let value: String

    init(_ member: String, json value: String) {
        self.member = member
        self.value = value
    }

    init(_ member: String, _ text: String) { self.init(member, json: "\"\(text)\"") }

    init(token: String) { self.init("token", token) }

    /// Returns the recipient as an element of a job's `recipients`.
    func recipient(ref: String?) -> String {
        guard member != "token" || ref != nil else { return value }
        return "{\"\(member)\":\(value)" + (ref.map { ",\"ref\":\"\($0)\"" } ?? "") + "}"
    }
}

extension RecipientID {
    /// Decodes a recipient's identity from its address.
    ///
    /// - Parameter address: The address as in a request to a service, a result event or a mark.
    package init?(address: String) {
        guard
            let id = Self(deviceToken: address) ?? Self(endpoint: address) ?? Self(receiverToken: address)
                ?? Self(fcmTarget: address)
        else { return nil }
        self = id
    }
}
