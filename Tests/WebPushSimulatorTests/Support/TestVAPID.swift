import Crypto
import WebPushSimulator

/// A VAPID key that signs authorization fields.
struct TestVAPID {
    let key = P256.Signing.PrivateKey()

    var publicKey: String { UnpaddedBase64.encode(key.publicKey.x963Representation) }

    /// The header and the claims of a token. A claim that is `nil` is left out.
    struct Claims {
        var header = #"{"typ":"JWT","alg":"ES256"}"#
        var aud: String? = "https://localhost"
        /// The expiry, in seconds from now.
        var exp: Int? = 43_200
        var sub: String? = "mailto:push@example.com"
    }

    func token(_ claims: Claims, at now: Int) throws -> String {
        var members = [("aud", claims.aud), ("sub", claims.sub)]
            .compactMap { name, value in value.map { #""\#(name)":"\#($0)""# } }
        if let exp = claims.exp { members.append(#""exp":\#(now + exp)"#) }
        let signed =
            UnpaddedBase64.encode(claims.header.utf8) + "."
            + UnpaddedBase64.encode("{\(members.joined(separator: ","))}".utf8)
        return signed + "." + UnpaddedBase64.encode(try key.signature(for: Array(signed.utf8)).rawRepresentation)
    }

    func field(_ claims: Claims, at now: Int) throws -> String {
        "vapid t=\(try token(claims, at: now)), k=\(publicKey)"
    }
}
