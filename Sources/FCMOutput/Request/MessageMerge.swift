import PushModel

/// A merge of a job's fields into a message. Members that the message sets are kept byte for byte. A member with the
/// value `null` counts as absent, as in the JSON form of protocol buffers, so the job's value replaces it.
struct MessageMerge {
    private struct Member {
        let name: String
        /// The range of the value in the message.
        let value: Range<Int>
        let kind: JSONScanner.ValueKind
    }

    private let message: UnsafeBufferPointer<UInt8>
    /// The content of the merged message between its braces.
    private var output: [UInt8] = []
    private var copied: Int
    private let end: Int

    /// Returns the content of the merged message between its braces.
    ///
    /// - Parameter message: a JSON object that the scanner has accepted.
    static func merge(_ message: UnsafeBufferPointer<UInt8>, _ defaults: JobDefaults, ttl: Int64?) -> [UInt8] {
        var merge = MessageMerge(message)
        merge.run(defaults, ttl: ttl)
        return merge.output
    }

    private init(_ message: UnsafeBufferPointer<UInt8>) {
        self.message = message
        copied = 1
        end = message.count - 1
        output.reserveCapacity(message.count + 256)
    }

    private mutating func run(_ defaults: JobDefaults, ttl: Int64?) {
        var android = defaults.android(ttl: ttl)
        let apns = defaults.apnsHeaders, webpush = defaults.webpushHeaders(ttl: ttl)
        var missing = ["android", "apns", "webpush"]
        var isEmpty = true
        let all = members(of: 0)
        // Google refuses a message that has both `android` and `android_v2`.
        let isV2 = all.contains { ["android_v2", "androidV2"].contains($0.name) && $0.kind != .null }
        let androidV2 = isV2 ? android.filter { $0.name != "priority" } : []
        if isV2 {
            android = []
            missing.removeFirst()
        }
        for member in all {
            isEmpty = false
            missing.removeAll { $0 == member.name }
            switch member.name {
            case "android": fill(member, android)
            case "android_v2", "androidV2": fill(member, androidV2)
            case "apns": fillHeaders(of: member, apns)
            case "webpush": fillHeaders(of: member, webpush)
            default: break
            }
        }
        copy(to: end)
        for name in missing {
            if !isEmpty { output.append(UInt8(ascii: ",")) }
            isEmpty = false
            JSONText.append(name, to: &output)
            output.append(UInt8(ascii: ":"))
            switch name {
            case "android": append(object: android)
            case "apns": append(headers: apns)
            default: append(headers: webpush)
            }
        }
    }

    /// Returns the members of the object at an offset, or none if the value there is not an object.
    private func members(of start: Int) -> [Member] {
        var members: [Member] = []
        var scanner = JSONScanner(message, at: start)
        guard scanner.nextKind() == .object else { return [] }
        try? scanner.object { (key, scanner) throws(JSONSyntaxError) in
            let kind = scanner.nextKind()
            members.append(Member(name: key.text(in: message), value: try scanner.value(), kind: kind))
        }
        return members
    }

    /// Adds the missing defaults to the `headers` of `apns` or `webpush`.
    private mutating func fillHeaders(of platform: Member, _ defaults: [DefaultMember]) {
        switch platform.kind {
        case .object:
            let all = members(of: platform.value.lowerBound)
            let headers = all.filter { $0.name == "headers" }
            for member in headers { fill(member, defaults) }
            guard headers.isEmpty else { return }
            copy(to: platform.value.lowerBound + 1)
            output.append(contentsOf: #""headers":"#.utf8)
            append(object: defaults)
            if !all.isEmpty { output.append(UInt8(ascii: ",")) }
        case .null: replace(platform.value) { $0.append(headers: defaults) }
        default: break
        }
    }

    private mutating func fill(_ object: Member, _ defaults: [DefaultMember]) {
        guard !defaults.isEmpty else { return }
        switch object.kind {
        case .object:
            let there = members(of: object.value.lowerBound)
            let unmet = defaults.filter { member in !there.contains { $0.kind != .null && member.isMet(by: $0.name) } }
            // A null member is replaced below, because a second member of its name would conflict with it.
            let absent = unmet.filter { member in !there.contains { member.isMet(by: $0.name) } }
            if !absent.isEmpty {
                copy(to: object.value.lowerBound + 1)
                append(members: absent)
                if !there.isEmpty { output.append(UInt8(ascii: ",")) }
            }
            for member in there {
                guard let missing = unmet.first(where: { $0.isMet(by: member.name) }) else { continue }
                replace(member.value) { JSONText.append(missing.value, to: &$0.output) }
            }
        case .null: replace(object.value) { $0.append(object: defaults) }
        default: break
        }
    }

    private mutating func replace(_ value: Range<Int>, with append: (inout MessageMerge) -> Void) {
        copy(to: value.lowerBound)
        append(&self)
        copied = value.upperBound
    }

    private mutating func copy(to position: Int) {
        output.append(contentsOf: message[copied..<position])
        copied = position
    }

    private mutating func append(headers defaults: [DefaultMember]) {
        output.append(contentsOf: #"{"headers":"#.utf8)
        append(object: defaults)
        output.append(UInt8(ascii: "}"))
    }

    private mutating func append(object defaults: [DefaultMember]) {
        output.append(UInt8(ascii: "{"))
        append(members: defaults)
        output.append(UInt8(ascii: "}"))
    }

    private mutating func append(members defaults: [DefaultMember]) {
        for (place, member) in defaults.enumerated() {
            if place > 0 { output.append(UInt8(ascii: ",")) }
            JSONText.append(member.name, to: &output)
            output.append(UInt8(ascii: ":"))
            JSONText.append(member.value, to: &output)
        }
    }
}
