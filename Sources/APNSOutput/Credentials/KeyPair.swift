import CredentialFormats
import PushModel

/// A push certificate and the private key that belongs to it.
struct KeyPair {
    let file: CredentialFile
    let certificate: Certificate
    let key: PrivateKey
    let push: PushCertificate

    /// The minimum size of an RSA key, in bits. Certificates may not have smaller keys (CA/Browser Forum, since 2014).
    private static let leastRSABits = 2048

    var name: String { certificate.commonName ?? push.topicKinds.keys.min() ?? file.name }

    /// Returns the only unexpired push certificate whose private key is among the given keys, together with that key.
    ///
    /// - Throws: `CredentialFault` if there is no such certificate or more than one, or if the key's algorithm is not
    ///   allowed.
    static func choose(
        _ certificates: [(file: CredentialFile, certificate: Certificate)],
        _ keys: [(file: CredentialFile, key: PrivateKey)], now: Timestamp
    ) throws(CredentialFault) -> KeyPair {
        var seen: Set<Certificate> = []
        var pairs: [KeyPair] = []
        var problem: CredentialFault?
        for (file, certificate) in certificates where seen.insert(certificate).inserted {
            guard let key = keys.first(where: { $0.key.publicKeyDER == certificate.publicKeyDER })?.key else {
                continue
            }
            do throws(FileProblem) {
                let push = try PushCertificate(certificate)
                pairs.append(KeyPair(file: file, certificate: certificate, key: key, push: push))
            } catch let fault {
                problem = problem ?? file.fault("the certificate \(fault)")
            }
        }
        guard let newest = pairs.max(by: { $0.certificate.notAfter < $1.certificate.notAfter }) else {
            throw problem ?? strangers(certificates.map(\.file), keys.map(\.file))
        }
        guard newest.certificate.notAfter > now else {
            throw newest.file.fault("the certificate expired on \(newest.certificate.notAfter.rfc3339)")
        }
        let valid = pairs.filter { $0.certificate.notAfter > now }
        guard valid.count == 1 else {
            let names = valid.map(\.name).sorted().joined(separator: "; ")
            throw newest.file.fault(
                "there are \(valid.count) push certificates with their keys (\(names)): import one at a time")
        }
        try newest.checkAlgorithm()
        return newest
    }

    private func checkAlgorithm() throws(CredentialFault) {
        switch key.algorithm {
        case .p256: return
        case .rsa(let bits) where bits >= Self.leastRSABits: return
        default:
            throw file.fault(
                "the certificate's key is \(key.algorithm): push certificates have RSA with at least 2048 bits, or P-256"
            )
        }
    }

    private static func strangers(_ certificates: [CredentialFile], _ keys: [CredentialFile]) -> CredentialFault {
        let file = certificates[0]
        let other = keys[0].name == file.name ? "" : " of \(keys[0].name)"
        return file.fault("the private key\(other) does not belong to the certificate")
    }
}
