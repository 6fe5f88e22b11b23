import Crypto
import Foundation
import PushModel

/// A browser with a push subscription.
struct Browser: Sendable {
    let endpoint: String
    private let key = P256.KeyAgreement.PrivateKey()
    private let secret = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

    init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The recipient in the form in which a web page submits it.
    var subscription: String {
        let point = Base64URL.text(key.publicKey.x963Representation)
        return """
            {"subscription":{"endpoint":"\(endpoint)","expirationTime":null,\
            "keys":{"p256dh":"\(point)","auth":"\(Base64URL.text(secret))"}}}
            """
    }

    var privateKeyText: String { Base64URL.text(key.rawRepresentation) }
    var secretText: String { Base64URL.text(secret) }

    func read(_ body: [UInt8]) throws -> String {
        String(decoding: try MessageDecryption(key: key, secret: secret).message(of: body), as: UTF8.self)
    }
}
