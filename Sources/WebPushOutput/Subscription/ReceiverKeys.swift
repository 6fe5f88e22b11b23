package import Crypto

/// What messages to one subscription are encrypted for (RFC 8291, section 2).
package struct ReceiverKeys {
    package static let pointBytes = 65
    package static let secretBytes = 16

    package let publicKey: P256.KeyAgreement.PublicKey
    /// The same as an uncompressed point.
    package let point: [UInt8]
    /// `auth`: shared by the browser and whoever it has given the subscription to.
    package let secret: [UInt8]

    /// - Throws: ``WebPushFault/badKeys``, also for a point that is not on the curve (section 7).
    package init(point: [UInt8], secret: [UInt8]) throws(WebPushFault) {
        guard point.count == Self.pointBytes, secret.count == Self.secretBytes,
            let publicKey = try? P256.KeyAgreement.PublicKey(x963Representation: point)
        else { throw .badKeys }
        self.publicKey = publicKey
        self.point = point
        self.secret = secret
    }
}
