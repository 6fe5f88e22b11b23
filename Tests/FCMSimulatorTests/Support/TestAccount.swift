import CryptoExtras
import FCMSimulator

/// A service account that signs assertions.
struct TestAccount {
    static let project = "shop-1"
    static let audience = "https://localhost/token"
    static let email = "sender@shop-1.iam.gserviceaccount.com"
    static let keyID = "key-1"
    static let messaging = "https://www.googleapis.com/auth/firebase.messaging"

    private let key: _RSA.Signing.PrivateKey

    /// The account that all tests share, because generating a key is slow.
    static let one = Result { TestAccount(key: try _RSA.Signing.PrivateKey(keySize: .bits2048)) }
    /// An account that is not registered in the simulator.
    static let stranger = Result { TestAccount(key: try _RSA.Signing.PrivateKey(keySize: .bits2048)) }

    var pem: String { key.pemRepresentation }

    func account(project: String = project, email: String = email, keyID: String = keyID) throws -> SimulatedAccount {
        try SimulatedAccount(
            project: project, projectNumber: project == Self.project ? "4242" : nil, email: email, keyID: keyID,
            pem: key.publicKey.pemRepresentation)
    }

    /// The header and the claims of an assertion. A claim that is `nil` is left out.
    struct Claims {
        var header = #"{"alg":"RS256","typ":"JWT","kid":"key-1"}"#
        var iss: String? = TestAccount.email
        var scope: String? = TestAccount.messaging
        var aud: String? = TestAccount.audience
        /// The time of issue, in seconds from now.
        var iat: Int? = 0
        /// The expiry, in seconds from now.
        var exp: Int? = 3_600
    }

    func assertion(_ claims: Claims = Claims(), at now: Int) throws -> String {
        var members = [("iss", claims.iss), ("scope", claims.scope), ("aud", claims.aud)]
            .compactMap { name, value in value.map { #""\#(name)":"\#($0)""# } }
        members += [("iat", claims.iat), ("exp", claims.exp)]
            .compactMap { name, value in value.map { #""\#(name)":\#(now + $0)"# } }
        let signed =
            UnpaddedBase64.encode(claims.header.utf8) + "."
            + UnpaddedBase64.encode("{\(members.joined(separator: ","))}".utf8)
        let signature = try key.signature(for: Array(signed.utf8), padding: .insecurePKCS1v1_5)
        return signed + "." + UnpaddedBase64.encode(signature.rawRepresentation)
    }
}
