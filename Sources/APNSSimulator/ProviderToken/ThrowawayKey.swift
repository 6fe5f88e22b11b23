internal import Crypto
public import Foundation
internal import PushSimulator

/// A key for who has none from Apple: made once for a directory, and good for nothing but simulators.
public struct ThrowawayKey: Sendable {
    public static let team = "SIMULATEDT"
    public static let keyID = "SIMULATEDK"

    /// Where its `.p8` is.
    public let path: String
    let privateKey: P256.Signing.PrivateKey

    /// What the simulator needs of it.
    public var tokenKey: TokenKey {
        TokenKey(team: Self.team, keyID: Self.keyID, publicKey: privateKey.publicKey)
    }

    /// A provider token, good for an hour from its issue.
    public func providerToken(issuedAt: Date = Date()) throws -> String {
        let header = #"{"alg":"ES256","kid":"\#(Self.keyID)"}"#
        let claims = #"{"iss":"\#(Self.team)","iat":\#(Int64(issuedAt.timeIntervalSince1970))}"#
        let signed = UnpaddedBase64.encode(header.utf8) + "." + UnpaddedBase64.encode(claims.utf8)
        let signature = try privateKey.signature(for: Data(signed.utf8))
        return signed + "." + UnpaddedBase64.encode(signature.rawRepresentation)
    }
}
