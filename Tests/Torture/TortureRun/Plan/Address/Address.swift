/// The address of a recipient in a job.
struct Address {
    /// The name of the JSON member that holds the address, such as `token` or `fid`.
    private let member: String
    /// The address as JSON text.
    private let value: String

    init(_ member: String, json value: String) {
        self.member = member
        self.value = value
    }

    init(_ member: String, _ text: String) { self.init(member, json: "\"\(text)\"") }

    init(token: String) { self.init("token", token) }

    /// Returns the recipient as JSON, for use as an element of a job's `recipients`.
    ///
    /// - Parameter ref: the recipient's `ref`, or `nil` for none.
    func recipient(ref: String?) -> String {
        guard member != "token" || ref != nil else { return value }
        return "{\"\(member)\":\(value)" + (ref.map { ",\"ref\":\"\($0)\"" } ?? "") + "}"
    }
}

extension RecipientID {
    /// Decodes the identity of a recipient from its address. Returns `nil` if the run did not make the address.
    ///
    /// - Parameter address: the address in a request to a service, in a result event or in a mark.
    package init?(address: String) {
        guard
            let id = Self(deviceToken: address) ?? Self(endpoint: address) ?? Self(receiverToken: address)
                ?? Self(fcmTarget: address)
        else { return nil }
        self = id
    }
}
