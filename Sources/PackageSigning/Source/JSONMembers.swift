import PushModel

/// The members of a JSON object, one level deep, and the faults that were found in them.
struct JSONMembers {
    private let file: String
    private let bytes: [UInt8]
    private let members: [String: (kind: JSONScanner.ValueKind, range: Range<Int>)]
    private(set) var faults: [String] = []

    var keys: [String] { members.keys.sorted() }

    /// Parses a JSON object.
    ///
    /// - Throws: ``PackageFault`` if the bytes are not a JSON object.
    init(_ bytes: [UInt8], of file: String) throws(PackageFault) {
        // Editors on Windows may write a byte order mark, which JSON does not allow.
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw PackageFault("\(file): begins with a byte order mark: save it as UTF-8 without one")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw PackageFault("\(file): is not UTF-8") }
        var members: [String: (kind: JSONScanner.ValueKind, range: Range<Int>)] = [:]
        var twice: [String] = []
        let problem: JSONSyntaxError? = bytes.withUnsafeBufferPointer { buffer in
            do throws(JSONSyntaxError) {
                var scanner = JSONScanner(buffer)
                scanner.skipWhitespace()
                try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                    let name = String(decoding: JSONText.unescaped(bytes[key.range]), as: UTF8.self)
                    let kind = scanner.nextKind()
                    if members.updateValue((kind, try scanner.value()), forKey: name) != nil { twice.append(name) }
                }
                try scanner.end()
                return nil
            } catch let problem {
                return problem
            }
        }
        if let problem {
            let line = bytes.prefix(problem.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw PackageFault("\(file): line \(line): is not a JSON object: \(problem.problem)")
        }
        self.file = file
        self.bytes = bytes
        self.members = members
        for name in twice { fault(name, "is given twice") }
    }

    mutating func fault(_ key: String, _ problem: String) { faults.append("\(file): \(key): \(problem)") }

    func has(_ key: String) -> Bool { members[key] != nil }

    /// Returns a required string. If it is missing, empty or of another type, records a fault and returns `nil`.
    mutating func text(_ key: String) -> String? {
        guard let member = member(key, .string, "a string") else { return nil }
        let text = Self.text(bytes[member.dropFirst().dropLast()])
        if text.isEmpty { fault(key, "is empty") }
        return text.isEmpty ? nil : text
    }

    /// Returns a required array of strings. If it is missing, empty or of another type, records a fault and returns
    /// `nil`.
    mutating func texts(_ key: String) -> [String]? {
        guard let member = member(key, .array, "an array of strings") else { return nil }
        var texts: [String] = []
        let isGood = bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer, at: member.lowerBound)
            do throws(JSONSyntaxError) {
                try scanner.array { (scanner) throws(JSONSyntaxError) in
                    texts.append(Self.text(bytes[try scanner.string().range]))
                }
                return true
            } catch {
                return false
            }
        }
        guard isGood, !texts.isEmpty else {
            fault(key, isGood ? "is empty" : "must be an array of strings")
            return nil
        }
        return texts
    }

    /// Returns a required number as it is written in the file. If it is missing or of another type, records a fault and
    /// returns `nil`.
    mutating func number(_ key: String) -> String? {
        member(key, .number, "a number").map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Returns the members of a required object. If it is missing or of another type, records a fault and returns
    /// `nil`.
    mutating func object(_ key: String) throws(PackageFault) -> JSONMembers? {
        guard let member = member(key, .object, "an object") else { return nil }
        return try JSONMembers(Array(bytes[member]), of: "\(file): \(key)")
    }

    mutating func take(faultsOf other: JSONMembers) { faults += other.faults }

    /// Throws the recorded faults, if there are any.
    func check() throws(PackageFault) {
        if !faults.isEmpty { throw PackageFault(faults) }
    }

    private mutating func member(_ key: String, _ kind: JSONScanner.ValueKind, _ words: String) -> Range<Int>? {
        guard let member = members[key] else {
            fault(key, "is missing")
            return nil
        }
        guard member.kind == kind else {
            let found = member.kind.rawValue
            fault(key, "must be \(words), but is \("ao".contains(found.prefix(1)) ? "an" : "a") \(found)")
            return nil
        }
        return member.range
    }

    private static func text(_ escaped: ArraySlice<UInt8>) -> String {
        String(decoding: JSONText.unescaped(escaped), as: UTF8.self)
    }
}
