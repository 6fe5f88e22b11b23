import PushModel

/// Puts into a message what a job wishes and the message does not say, without touching what it says.
struct MessageMerge {
    private let message: UnsafeBufferPointer<UInt8>
    /// The rest of the message, between its brackets.
    private var output: [UInt8] = []
    private var copied: Int
    private let end: Int

    /// - Parameter message: a JSON object that the scanner has accepted.
    /// - Returns: what stands between its brackets, with all wishes.
    static func merge(_ message: UnsafeBufferPointer<UInt8>, _ wishes: JobWishes, ttl: Int64?) -> [UInt8] {
        var merge = MessageMerge(message)
        merge.run(wishes, ttl: ttl)
        return merge.output
    }

    private init(_ message: UnsafeBufferPointer<UInt8>) {
        self.message = message
        copied = 1
        end = message.count - 1
        output.reserveCapacity(message.count + 256)
    }

    private mutating func run(_ wishes: JobWishes, ttl: Int64?) {
        let android = wishes.android(ttl: ttl), apns = wishes.apnsHeaders, webpush = wishes.webpushHeaders(ttl: ttl)
        var missing = ["android", "apns", "webpush"]
        var isEmpty = true
        for (name, value) in members(of: 0) {
            isEmpty = false
            missing.removeAll { $0 == name }
            switch name {
            case "android": fill(objectAt: value, android)
            case "apns": fillHeaders(of: value, apns)
            case "webpush": fillHeaders(of: value, webpush)
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

    /// The members of an object, with where their values begin; none where there is no object.
    private func members(of start: Int) -> [(name: String, value: Int)] {
        var members: [(String, Int)] = []
        var scanner = JSONScanner(message, at: start)
        guard scanner.nextKind() == .object else { return [] }
        try? scanner.object { (key, scanner) throws(JSONSyntaxError) in
            let value = try scanner.value()
            members.append((key.text(in: message), value.lowerBound))
        }
        return members
    }

    private func isObject(at start: Int) -> Bool { message[start] == UInt8(ascii: "{") }

    private mutating func fillHeaders(of start: Int, _ wishes: [Wish]) {
        guard isObject(at: start) else { return }
        let all = members(of: start)
        let headers = all.filter { $0.name == "headers" }
        for (_, value) in headers { fill(objectAt: value, wishes) }
        guard headers.isEmpty else { return }
        copy(to: start + 1)
        output.append(contentsOf: #""headers":"#.utf8)
        append(object: wishes)
        if !all.isEmpty { output.append(UInt8(ascii: ",")) }
    }

    private mutating func fill(objectAt start: Int, _ wishes: [Wish]) {
        guard isObject(at: start) else { return }
        let there = members(of: start)
        let unmet = wishes.filter { wish in !there.contains { wish.isMet(by: $0.name) } }
        guard !unmet.isEmpty else { return }
        copy(to: start + 1)
        append(members: unmet)
        if !there.isEmpty { output.append(UInt8(ascii: ",")) }
    }

    private mutating func copy(to position: Int) {
        output.append(contentsOf: message[copied..<position])
        copied = position
    }

    private mutating func append(headers wishes: [Wish]) {
        output.append(contentsOf: #"{"headers":"#.utf8)
        append(object: wishes)
        output.append(UInt8(ascii: "}"))
    }

    private mutating func append(object wishes: [Wish]) {
        output.append(UInt8(ascii: "{"))
        append(members: wishes)
        output.append(UInt8(ascii: "}"))
    }

    private mutating func append(members wishes: [Wish]) {
        for (place, wish) in wishes.enumerated() {
            if place > 0 { output.append(UInt8(ascii: ",")) }
            JSONText.append(wish.name, to: &output)
            output.append(UInt8(ascii: ":"))
            JSONText.append(wish.value, to: &output)
        }
    }
}
