package import Crypto

/// The keys of a subscription. Messages to the subscription are encrypted with them (RFC 8291, section 2).
package struct ReceiverKeys {
    package static let pointBytes = 65
    package static let secretBytes = 16

    package let publicKey: P256.KeyAgreement.PublicKey
    /// The public key as an uncompressed point.
    package let point: [UInt8]
    /// The `auth` secret. The browser gives it to everyone who may send to the subscription.
    package let secret: [UInt8]

    /// Creates the keys from their bytes.
    ///
    /// - Throws: ``WebPushFault/badKeys`` if a length is wrong or the point is not on the curve (RFC 8291, section 7).
    package init(point: [UInt8], secret: [UInt8]) throws(WebPushFault) {
        guard point.count == Self.pointBytes, secret.count == Self.secretBytes,
            let publicKey = try? P256.KeyAgreement.PublicKey(x963Representation: point)
        else { throw .badKeys }
        self.publicKey = publicKey
        self.point = point
        self.secret = secret
    }
}
