internal import Crypto
internal import Foundation
internal import PushSimulator

/// A verifier of `authorization` values and their signatures (Apple: "Establishing a token-based connection to APNs").
/// It does not check times.
package struct ProviderTokenVerifier: Sendable {
    /// Whether tokens must conform exactly to their specification. Otherwise, deviations that the live service accepts
    /// are allowed: signatures in DER, standard base64 with padding, `iat` as a string, `Bearer`, and a missing `alg`.
    private let isStrict: Bool
    private var keys: [String: TokenKey] = [:]

    package init(isStrict: Bool) {
        self.isStrict = isStrict
    }

    package mutating func register(_ key: TokenKey) {
        keys[key.keyID] = key
    }

    /// Verifies the value of an `authorization` field.
    ///
    /// - Returns: the token, or `nil` if it is malformed, if its signature is invalid, or if its key or team is
    ///   unknown.
    package func verify(_ authorization: UnsafeRawBufferPointer) -> ProviderToken? {
        guard let text = tokenText(authorization) else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header: Header = decodeJSON(parts[0]), let claims: Claims = decodeJSON(parts[1]),
            header.alg == "ES256" || (header.alg == nil && !isStrict),
            let key = keys[header.kid], key.team == claims.iss,
            let issuedAt = claims.issuedAt(isStrict: isStrict),
            let signature = signature(parts[2])
        else { return nil }
        let signed = Data(text[..<(parts[1].endIndex)])
        guard key.publicKey.isValidSignature(signature, for: signed) else { return nil }
        return ProviderToken(team: key.team, keyID: key.keyID, issuedAt: issuedAt, text: Array(text), scope: key.scope)
    }

    private struct Header: Decodable {
        var alg: String?
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: IssueTime

        enum IssueTime: Decodable {
            case number(Double), text(String)

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                // `iat` may have a fraction (RFC 7519, section 2), as in the result of Python's `time.time()`.
                if let number = try? value.decode(Double.self) {
                    self = .number(number)
                } else {
                    self = .text(try value.decode(String.self))
                }
            }
        }

        func issuedAt(isStrict: Bool) -> Int64? {
            switch iat {
            case .number(let seconds): Self.whole(seconds)
            case .text(let digits): isStrict ? nil : Double(digits).flatMap { $0.isFinite ? Self.whole($0) : nil }
            }
        }

        /// Returns whole seconds, limited so that the difference between two times cannot overflow.
        private static func whole(_ seconds: Double) -> Int64 {
            let furthest = 9e15
            return Int64(min(furthest, max(-furthest, seconds)).rounded(.down))
        }
    }

    private func tokenText(_ authorization: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        guard authorization.hasPrefix("bearer ") || (!isStrict && authorization.hasPrefix("Bearer ")) else {
            return nil
        }
        return authorization.dropFirst("bearer ".utf8.count)
    }

    private func decodeJSON<Value: Decodable>(_ part: Slice<UnsafeRawBufferPointer>) -> Value? {
        decodeBase64(part).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    private func signature(_ part: Slice<UnsafeRawBufferPointer>) -> P256.Signing.ECDSASignature? {
        guard let bytes = decodeBase64(part) else { return nil }
        if let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes) {
            return signature
        }
        return isStrict ? nil : try? P256.Signing.ECDSASignature(derRepresentation: bytes)
    }

    /// Decodes base64url without padding (RFC 7515, section 2). Unless strict, also decodes standard base64 with
    /// padding.
    private func decodeBase64(_ part: Slice<UnsafeRawBufferPointer>) -> Data? {
        var standard: [UInt8] = []
        standard.reserveCapacity(part.count + 3)
        for byte in part {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                guard !isStrict else { return nil }
                standard.append(byte)
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) {
            standard.append(UInt8(ascii: "="))
        }
        return Data(base64Encoded: Data(standard))
    }
}
