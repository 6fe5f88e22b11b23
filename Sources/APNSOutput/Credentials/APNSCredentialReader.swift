import CredentialFormats
import PushModel

/// A reader for the credential files that Apple issues: a `.p8` key, a `.p12`, or PEM or DER files with a certificate
/// and its key.
struct APNSCredentialReader {
    /// The details that the caller gives in addition to the files.
    ///
    /// - The account is Apple's ten-character team id. If it is `nil`, the team in the certificate is used.
    /// - The key id of a `.p8` key is taken from the file name if it is not given.
    /// - The environments and topics apply only to a `.p8` key. A certificate contains its own.
    let details: CredentialDetails

    /// The maximum number of topics of a topic-specific key, set by Apple.
    private static let greatestTopicCount = 400

    /// Reads a credential from its files.
    ///
    /// - Parameter files: one file, or several files that together contain the certificate, its chain and its key.
    /// - Throws: `CredentialFault` that names the fault, and the file if one is at fault.
    func read(_ files: [CredentialFile], now: Timestamp) throws(CredentialFault) -> NewCredential {
        guard let first = files.first else {
            throw CredentialFault("no file was given")
        }
        var certificates: [(file: CredentialFile, certificate: Certificate)] = []
        var keys: [(file: CredentialFile, key: PrivateKey)] = []
        for file in files {
            let contents = try file.open(passphrase: details.passphrase)
            if contents.format == .pkcs12 { try Self.checkIsWhole(contents, file) }
            certificates += contents.certificates.map { (file, $0) }
            keys += contents.keys.map { (file, $0) }
        }
        guard let key = keys.first else {
            throw first.fault("has a certificate, but no private key: name the key's file too")
        }
        if certificates.isEmpty {
            guard keys.count == 1 else { throw key.file.fault("there is more than one private key") }
            return try token(key.key, key.file)
        }
        let pair = try KeyPair.choose(certificates, keys, now: now)
        return try certificate(pair, others: certificates.map(\.certificate))
    }

    private static func checkIsWhole(_ contents: FileContents, _ file: CredentialFile) throws(CredentialFault) {
        if contents.keys.isEmpty {
            throw file.fault("has no private key: export the certificate together with its key")
        }
        if contents.certificates.isEmpty { throw file.fault("has a private key, but no certificate") }
    }

    private var unsaid: String? { details.mayLackAccount ? "" : nil }

    private func check(_ team: String, of file: CredentialFile) throws(CredentialFault) -> String {
        team == unsaid ? team : try AppleID.check(team, "team id", of: file)
    }

    // MARK: .p8

    private func token(_ key: PrivateKey, _ file: CredentialFile) throws(CredentialFault) -> NewCredential {
        guard key.algorithm == .p256 else {
            throw file.fault(
                "is a private key (\(key.algorithm)) without a certificate, and Apple's .p8 keys are P-256: if it belongs to a certificate, name that file too"
            )
        }
        guard let keyID = details.keyID ?? Self.keyID(fromFileName: file.name) else {
            throw CredentialFault("a key id is required, because \(file.name) is not named AuthKey_<key id>.p8")
        }
        guard let team = details.account ?? unsaid else {
            throw CredentialFault("\(file.name): a team id is required for a .p8 key")
        }
        return NewCredential(
            kind: .token(keyID: try AppleID.check(keyID, "key id", of: file), privateKeyPEM: key.pem),
            account: try check(team, of: file), environments: try keyEnvironments(),
            topics: details.topics,
            fingerprint: Fingerprint.sha256(key.publicKeyDER), label: details.label ?? "key \(keyID)")
    }

    /// Returns the environments of a `.p8` key. Apple limits a topic-specific key to one environment and 400 topics.
    private func keyEnvironments() throws(CredentialFault) -> Set<PushEnvironment> {
        let environments = details.environments ?? Set(PushEnvironment.allCases)
        guard !environments.isEmpty else {
            throw CredentialFault("at least one environment is required")
        }
        guard details.topics.isEmpty || environments.count == 1 else {
            throw CredentialFault("a key that is limited to topics is for one environment: pass --environment")
        }
        guard details.topics.count <= Self.greatestTopicCount else {
            throw CredentialFault("\(details.topics.count) topics: Apple limits a key to \(Self.greatestTopicCount)")
        }
        return environments
    }

    private static func keyID(fromFileName name: String) -> String? {
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        return String(name.dropFirst(8).dropLast(3).prefix(10))
    }

    // MARK: certificates

    private func certificate(_ pair: KeyPair, others: [Certificate]) throws(CredentialFault) -> NewCredential {
        let leaf = pair.certificate
        if let team = details.account, let named = leaf.organizationalUnit, AppleID.isOne(named), named != team {
            throw CredentialFault("the certificate of \(pair.file.name) is of team \(named), not of \(team)")
        }
        guard let team = details.account ?? leaf.organizationalUnit ?? unsaid else {
            throw CredentialFault("a team id is required: the certificate of \(pair.file.name) has none")
        }
        return NewCredential(
            kind: .certificate(chainDER: leaf.chain(from: others).map(\.der), privateKeyDER: pair.key.der),
            account: try check(team, of: pair.file), environments: pair.push.environments,
            topics: Set(pair.push.topicKinds.keys), topicKinds: pair.push.topicKinds, notBefore: leaf.notBefore,
            notAfter: leaf.notAfter, fingerprint: Fingerprint.sha256(leaf.der), label: details.label ?? pair.name)
    }
}
