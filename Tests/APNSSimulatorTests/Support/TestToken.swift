import APNSSimulator
import Crypto
import Foundation

/// A team's key, which signs provider tokens.
struct TestKey {
    let team: String
    let keyID: String
    let privateKey = P256.Signing.PrivateKey()

    init(team: String = "TEAM123456", keyID: String = "KEY1234567") {
        self.team = team
        self.keyID = keyID
    }

    var tokenKey: TokenKey {
        TokenKey(team: team, keyID: keyID, publicKey: privateKey.publicKey)
    }

    /// Returns the value of an `authorization` field with a token issued at this time.
    func authorization(issuedAt: Date = Date()) -> String {
        "bearer " + token(claims: #"{"iss":"\#(team)","iat":\#(Int(issuedAt.timeIntervalSince1970))}"#)
    }

    func token(
        header: String? = nil, claims: String, encode: (Data) -> String = base64URL, derSignature: Bool = false
    ) -> String {
        let header = header ?? #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let signed = encode(Data(header.utf8)) + "." + encode(Data(claims.utf8))
        do {
            let signature = try privateKey.signature(for: Data(signed.utf8))
            return signed + "." + encode(derSignature ? signature.derRepresentation : signature.rawRepresentation)
        } catch {
            return "signing failed: \(error)"
        }
    }
}

func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}
