internal import Crypto
public import Foundation
internal import PushSimulator

/// A key for developers who have no key from Apple. It is created once for each directory and is valid only for
/// simulators.
public struct ThrowawayKey: Sendable {
    public static let team = "SIMULATEDT"
    public static let keyID = "SIMULATEDK"

    /// The path of the `.p8` file.
    public let path: String
    let privateKey: P256.Signing.PrivateKey

    /// The public key, which a simulator can register.
    public var tokenKey: TokenKey {
        TokenKey(team: Self.team, keyID: Self.keyID, publicKey: privateKey.publicKey)
    }

    /// Returns a provider token. It is valid for one hour after `issuedAt`.
    public func providerToken(issuedAt: Date = Date()) throws -> String {
        let header = #"{"alg":"ES256","kid":"\#(Self.keyID)"}"#
        let claims = #"{"iss":"\#(Self.team)","iat":\#(Int64(issuedAt.timeIntervalSince1970))}"#
        let signed = UnpaddedBase64.encode(header.utf8) + "." + UnpaddedBase64.encode(claims.utf8)
        let signature = try privateKey.signature(for: Data(signed.utf8))
        return signed + "." + UnpaddedBase64.encode(signature.rawRepresentation)
    }
}
