/// How a job names a recipient.
struct Address {
    /// `token`, `fid`, and so on.
    private let member: String
    /// As JSON.
    private let value: String

    init(_ member: String, json value: String) {
        self.member = member
        self.value = value
    }

    init(_ member: String, _ text: String) { self.init(member, json: "\"\(text)\"") }

    init(token: String) { self.init("token", token) }

    /// A recipient of a job.
    func recipient(ref: String?) -> String {
        guard member != "token" || ref != nil else { return value }
        return "{\"\(member)\":\(value)" + (ref.map { ",\"ref\":\"\($0)\"" } ?? "") + "}"
    }
}

extension RecipientID {
    /// - Parameter address: as a service, an event or a mark has it.
    package init?(address: String) {
        guard
            let id = Self(deviceToken: address) ?? Self(endpoint: address) ?? Self(receiverToken: address)
                ?? Self(fcmTarget: address)
        else { return nil }
        self = id
    }
}
