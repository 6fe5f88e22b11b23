internal import Foundation

/// A wrapper that decodes an object and rejects unknown fields. Without it, a misspelt field would be ignored silently.
struct Strict<Body: ControlBody>: Decodable {
    let body: Body

    init(from decoder: any Decoder) throws {
        try decoder.refuseOtherKeys(than: Body.CodingKeys.allCases.map(\.stringValue))
        body = try Body(from: decoder)
    }
}

/// Functions that decode and encode JSON for people, with error messages that name the fields.
enum ControlInput {
    /// Encodes a value as JSON with sorted keys, so that the output is stable for people and scripts.
    static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Decodes a value from JSON.
    ///
    /// - Throws: ``SimulatorError`` that names the invalid field.
    static func read<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch let error as DecodingError {
            throw SimulatorError(explain(error))
        }
    }

    private static func explain(_ error: DecodingError) -> String {
        let (context, problem): (DecodingError.Context, String) =
            switch error {
            case .keyNotFound(let key, let context): (context, "\(key.stringValue): missing")
            case .typeMismatch(let type, let context): (context, "must be \(name(of: type))")
            case .valueNotFound(let type, let context): (context, "is null, but must be \(name(of: type))")
            case .dataCorrupted(let context):
                (context, context.codingPath.isEmpty ? "is not valid JSON" : context.debugDescription)
            @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "\(error)")
            }
        let place = context.codingPath.map { $0.intValue.map { "step \($0 + 1)" } ?? $0.stringValue }
        return (place + [problem]).joined(separator: ": ")
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is [String: Any].Type: "an object"
        default: "a list"
        }
    }
}

extension Int {
    /// Returns the number if it lies in the range.
    ///
    /// - Throws: ``SimulatorError`` that names the field if the number is out of range.
    func checked(_ field: some CodingKey, in range: ClosedRange<Int>) throws -> Int {
        guard range.contains(self) else {
            throw SimulatorError(
                "\(field.stringValue): \(self) is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return self
    }
}

extension DecodingError {
    /// Whether the error concerns a number that is not an `Int`. Such an error names no field.
    fileprivate var isOfANumber: Bool {
        if case .dataCorrupted = self { true } else { false }
    }
}

extension KeyedDecodingContainer {
    /// Decodes a whole number and checks its range.
    ///
    /// - Throws: ``SimulatorError`` that names the field if the number is out of range, or `DecodingError`.
    package func number(_ key: Key, in range: ClosedRange<Int>) throws -> Int {
        let value: Int
        do {
            value = try decode(Int.self, forKey: key)
        } catch let error as DecodingError where !error.isOfANumber {
            throw error
        } catch {
            throw SimulatorError(
                "\(key.stringValue): must be a whole number between \(range.lowerBound) and \(range.upperBound)")
        }
        return try value.checked(key, in: range)
    }

    package func numberIfPresent(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try number(key, in: range)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an enumeration case from its raw value, or returns `nil` if the field is missing.
    ///
    /// - Throws: ``SimulatorError`` that names the field and the accepted words, or `DecodingError`.
    package func wordIfPresent<Word>(_ key: Key, of type: Word.Type) throws -> Word?
    where Word: RawRepresentable<String> & CaseIterable {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw SimulatorError("\(key.stringValue): '\(text)' is not one of \(words)")
        }
        return word
    }
}

extension Decoder {
    func refuseOtherKeys(than known: [String]) throws {
        let present = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        let names = Set(known)
        if let unknown = present.sorted().first(where: { !names.contains($0) }) {
            throw SimulatorError("\(unknown): unknown field; known fields: \(names.sorted().joined(separator: ", "))")
        }
    }
}

/// A coding key whose name is determined at run time.
struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(_ name: String) {
        stringValue = name
    }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
