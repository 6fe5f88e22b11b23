import APNSOutput
import CredentialFormats
import PushModel

/// A fuzz target for credential files. Any file is either opened or rejected with a reason. The contents of an opened
/// file can be opened again.
enum CredentialFileFuzz {
    /// The maximum number of key derivation rounds for one input. It is low because the fuzzer limits the time of an
    /// input.
    private static let rounds = 20_000

    static func violation(in input: [UInt8]) -> String? {
        let contents: FileContents
        do throws(FileProblem) {
            contents = try open(input)
        } catch {
            return error.description.isEmpty ? "a refusal without a reason" : nil
        }
        if contents.keys.isEmpty, contents.certificates.isEmpty, contents.format != .pkcs12 {
            return "accepted without a key or certificate"
        }
        for key in contents.keys {
            for form in [key.der, key.pem] {
                guard let again = try? form.withBytes({ bytes throws(FileProblem) in try open(bytes) }),
                    again.keys == [key]
                else { return "a key of kind \(key.algorithm) differs when it is read again" }
            }
        }
        for certificate in contents.certificates {
            guard let again = try? open(certificate.der), again.certificates == [certificate] else {
                return "a certificate differs when it is read again"
            }
            if let push = try? PushCertificate(certificate), push.topicKinds.isEmpty || push.environments.isEmpty {
                return "a push certificate has no topics or environments"
            }
            if certificate.chain(from: contents.certificates).count > contents.certificates.count {
                return "the chain is longer than its input"
            }
        }
        return nil
    }

    private static func open(_ bytes: [UInt8]) throws(FileProblem) -> FileContents {
        try FileContents(
            bytes, passphrase: Secret("secret".utf8), algorithms: .shared, derivationRounds: rounds)
    }
}
