internal import Foundation

/// A parser of the format `application/x-www-form-urlencoded` (WHATWG URL, section 5.1).
enum FormText {
    /// Parses a form.
    ///
    /// - Returns: the values by name, or `nil` if the form is malformed or repeats a name.
    static func read(_ bytes: [UInt8]) -> [String: String]? {
        var form: [String: String] = [:]
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = decode(parts[0]), let value = decode(parts[1]),
                form.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return form
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self)?.removingPercentEncoding
    }
}
