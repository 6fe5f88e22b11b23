import Foundation
package import PushModel

/// An answer from the token endpoint (RFC 6749, sections 5.1 and 5.2).
package enum TokenAnswer: Sendable, Equatable {
    case token(Secret, lifetimeSeconds: Int64)
    /// The endpoint refuses the service account or the worker's clock. It would refuse another request too.
    case refused(TokenRefusal)
    /// The request failed, and another attempt may succeed.
    case failed(String)

    private struct Body: Decodable {
        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case expiresIn = "expires_in"
            case error
            case errorDescription = "error_description"
        }

        let accessToken: String?
        let expiresIn: Double?
        let error: String?
        let errorDescription: String?
    }

    /// The maximum length of an access token, in bytes. The token becomes the value of a header field.
    private static let greatestTokenBytes = 4_096

    /// The lifetimes that a token may have, in seconds. A token with a shorter lifetime is rejected, because it would
    /// expire before it could be used. A longer lifetime, which Google never grants, is shortened.
    private static let lifetimes = 60.0...86_400

    package init(status: Int, body: [UInt8]) {
        let read = try? JSONDecoder().decode(Body.self, from: Data(body))
        switch status {
        case 200:
            guard let read else {
                self = .failed("the answer is not from a token endpoint: status 200 without JSON")
                return
            }
            guard let token = read.accessToken, !token.isEmpty else {
                self = .refused(TokenRefusal("no_access_token", "the token endpoint returned no access token"))
                return
            }
            guard token.utf8.count <= Self.greatestTokenBytes, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                self = .failed("the access token is not a valid header value")
                return
            }
            let lifetime = read.expiresIn ?? 3_600
            guard lifetime >= Self.lifetimes.lowerBound else {
                self = .failed("the access token is valid for only \(lifetime) s")
                return
            }
            self = .token(Secret(token.utf8), lifetimeSeconds: Int64(min(lifetime, Self.lifetimes.upperBound)))
        case 400..<500 where status != 408 && status != 429:
            self = .refused(
                TokenRefusal(
                    read?.error.map(ShownText.word) ?? "Status\(status)", ShownText.line(read?.errorDescription ?? "")))
        default:
            let words = ["status \(status)", read?.error, read?.errorDescription]
            self = .failed(ShownText.line(words.compactMap { $0 }.joined(separator: ", ")))
        }
    }
}

/// The reason why a service account gets no access token.
package struct TokenRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error code of RFC 6749, such as `invalid_grant`, or Martlet's own, such as `no_access_token`.
    package let error: String
    /// The explanation from the token endpoint, or an empty string.
    package let explanation: String

    package init(_ error: String, _ explanation: String) {
        self.error = error
        self.explanation = explanation
    }

    package var description: String { explanation.isEmpty ? error : "\(error): \(explanation)" }

    /// The action that the operator should take.
    package var advice: String {
        if explanation.contains("short-lived token") {
            return
                "the clock of this machine is wrong: Google rejects assertions older than an hour or in the future"
        }
        if explanation.contains("account not found") {
            return "the service account was deleted: import the key of another one"
        }
        switch error {
        case "invalid_grant":
            return "the key was deleted or belongs to another account: create a new one in the Google Cloud console"
        case "invalid_scope", "no_access_token": return "the scope is unknown to Google: check token_uri"
        default: return "see docs/fcm.md"
        }
    }
}
