/// A parsed request to send a message. It can check the message in the same way as FCM.
package struct SendRequest {
    let target: Target
    let isDryRun: Bool
    private let message: JSONValue
    /// A hash of the message that is the same for all attempts of a push. It excludes fields that state only the
    /// remaining lifetime.
    let identity: Int

    private static let longestMessage = 4_096, longestBroadcast = 2_048
    private static let longestLife = 2_419_200.0

    /// Parses a request.
    ///
    /// - Throws: ``MessageFault`` for the first problem that is found.
    init(_ body: [UInt8]) throws(MessageFault) {
        guard let request = JSONReader.read(body) else {
            throw MessageFault(field: "", description: "Invalid JSON payload received. Unexpected token.")
        }
        try TypeChecker.check(request, is: .sendRequest)
        guard let message = request.member("message"), case .object = message else {
            throw .fcm("message", "Request contains an invalid argument.")
        }
        self.message = message
        isDryRun = request.member("validate_only", "validateOnly") == .bool(true)
        target = try Self.target(of: message)
        identity = Self.identity(of: message)
    }

    /// Returns the target of a message. If a field is repeated, its last value counts.
    ///
    /// - Throws: ``MessageFault`` if the message has no target or several kinds of targets.
    private static func target(of message: JSONValue) throws(MessageFault) -> Target {
        var found: (name: String, target: Target)?
        for member in message.members {
            guard let text = member.value.text, let target = Target(member.name, text) else { continue }
            if let found, found.name != member.name {
                throw MessageFault(
                    field: "message",
                    description: "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set "
                        + "'\(member.name)'")
            }
            found = (member.name, target)
        }
        guard let found, !found.target.text.isEmpty else {
            throw .fcm("message", "Recipient of the message is not set.")
        }
        return found.target
    }

    /// Checks the rules that FCM itself enforces, which depend on the meaning of the fields.
    ///
    /// - Throws: ``MessageFault`` for the first problem that is found.
    func check() throws(MessageFault) {
        try checkData("message.data", message.member("data"))
        try checkAndroid()
        if let link = message.member("webpush")?.member("fcm_options", "fcmOptions")?.member("link")?.text,
            !link.hasPrefix("https://")
        {
            throw .fcm("message.webpush.fcm_options.link", "Invalid link: must be an HTTPS URL.")
        }
        try checkSize()
        if let fault = target.fault { throw fault }
    }

    private func checkAndroid() throws(MessageFault) {
        let versions = ["android": message.member("android"), "android_v2": message.member("android_v2", "androidV2")]
            .compactMapValues { $0 == .null ? nil : $0 }
        guard versions.count < 2 else {
            throw .fcm("message", "Only one of 'android' and 'android_v2' may be set.")
        }
        for (name, config) in versions {
            try checkData("message.\(name).data", config.member("data"))
            if let text = config.member("ttl")?.text, let life = Lifetime(text),
                !(0...Self.longestLife).contains(life.seconds)
            {
                throw .fcm("message.\(name).ttl", "Invalid ttl: must be between 0 and 2419200 seconds.")
            }
        }
    }

    private func checkData(_ path: String, _ data: JSONValue?) throws(MessageFault) {
        for member in data?.members ?? []
        where ["from", "message_type"].contains(member.name) || member.name.hasPrefix("google.")
            || member.name.hasPrefix("gcm.notification.")
        {
            throw .fcm(path, "Invalid data payload key: \(member.name)")
        }
    }

    /// Checks the total size of names and values, separately for each platform.
    private func checkSize() throws(MessageFault) {
        let most = target.isBroadcast ? Self.longestBroadcast : Self.longestMessage
        let common = (message.member("data")?.weight ?? 0) + (message.member("notification")?.weight ?? 0)
        for platform in ["android", "apns", "webpush"] {
            let own =
                message.member(platform) ?? (platform == "android" ? message.member("android_v2", "androidV2") : nil)
            let size = ["data", "notification", "payload"].reduce(common) { $0 + (own?.member($1)?.weight ?? 0) }
            guard size <= most else {
                throw .fcm("message", "Message is too big: \(size) bytes for \(platform), and \(most) are allowed.")
            }
        }
    }

    private static func identity(of message: JSONValue) -> Int {
        var hasher = Hasher()
        for member in message.members {
            hasher.combine(member.name)
            switch member.name {
            case "android", "android_v2", "androidV2": hash(member.value, without: ["ttl"], into: &hasher)
            case "webpush":
                for member in member.value.members {
                    hasher.combine(member.name)
                    hash(member.value, without: member.name == "headers" ? ["TTL", "ttl"] : [], into: &hasher)
                }
            default: hasher.combine(member.value)
            }
        }
        return hasher.finalize()
    }

    private static func hash(_ value: JSONValue, without names: Set<String>, into hasher: inout Hasher) {
        guard !names.isEmpty else { return hasher.combine(value) }
        for member in value.members where !names.contains(member.name) { hasher.combine(member) }
    }
}
