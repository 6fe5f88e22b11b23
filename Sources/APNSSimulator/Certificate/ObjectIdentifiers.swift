internal import SwiftASN1

/// Object identifiers in Apple's push certificates.
enum PushCertificateOID {
    static let sandbox: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 1]
    static let production: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 2]
    /// The topics extension.
    static let topics: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 6]
    /// The `userId` in the subject (RFC 4519, section 2.39), which is the app's bundle identifier.
    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
}
