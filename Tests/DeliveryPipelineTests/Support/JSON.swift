import Foundation
import Testing

enum JSON {
    static func object(_ bytes: [UInt8]) throws -> [String: Any] {
        let text = String(decoding: bytes, as: UTF8.self)
        let value = try JSONSerialization.jsonObject(with: Data(bytes))
        return try #require(value as? [String: Any], "\(text)")
    }

    static func objects(_ value: Any?) throws -> [[String: Any]] {
        try #require(value as? [[String: Any]], "\(String(describing: value))")
    }
}
