import APNSOutput
import PushModel
import Store
import Testing

/// Real files, each with the credential that the import must create or the exact error.
@Suite(.enabled(if: OpenSSL.isInstalled, OpenSSL.missing), SampleFiles.Made())
struct ImportMatrixTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let files: [String]
        var passphrase: String?
        var team: String? = "TEAM000001"
        /// The ``summary(_:)`` of the credential, or the error text.
        let result: String

        init(_ files: String..., passphrase: String? = nil, team: String? = "TEAM000001", gives result: String) {
            (self.files, self.passphrase, self.team, self.result) = (files, passphrase, team, result)
        }

        var testDescription: String { "\(files.joined(separator: " + ")) \(passphrase ?? "")" }
    }

    private static let both: Set<PushEnvironment> = [.production, .sandbox]

    private func outcome(_ row: Row, now: Timestamp = .now) throws -> String {
        let openSSL = try SampleFiles.made.get()
        var details = CredentialDetails()
        details.passphrase = row.passphrase.map { Secret($0.utf8) }
        details.account = row.team
        do {
            return Self.summary(try APNSCredentials().read(row.files.map { try openSSL.file($0) }, details, now: now))
        } catch {
            return "\(error)".replacing(openSSL.path(""), with: "")
        }
    }

    private static func summary(_ new: NewCredential) -> String {
        let environments = new.environments.map(\.rawValue).sorted().joined(separator: "+")
        switch new.kind {
        case .token(let keyID, _): return "key \(keyID) of \(new.account) for \(environments)"
        case .certificate(let chain, _):
            let topics = new.topicKinds.sorted { $0.key < $1.key }.map { "\($0)(\($1.joined(separator: "+")))" }
            return "\(topics.joined(separator: " ")) of \(new.account) for \(environments), chain of \(chain.count)"
        case .secret: return "a secret"
        }
    }

    // MARK: accepted

    @Test(arguments: [
        "AuthKey_ABC123DEFG.p8", "AuthKey_SEC1000000.p8", "AuthKey_DER0000000.p8", "AuthKey_CRLF000000.p8",
        "AuthKey_CR00000000.p8", "AuthKey_INDENT0000.p8", "AuthKey_UTF16LE000.p8", "AuthKey_UTF16BE000.p8",
        "AuthKey_UTF16NONE0.p8", "AuthKey_LATIN10000.p8", "AuthKey_SEALED0000.p8",
    ])
    func readsAppleKeyInAnyTextFormat(name: String) throws {
        let openSSL = try SampleFiles.made.get()
        var details = CredentialDetails()
        details.account = "TEAM000001"
        details.passphrase = Secret("secret".utf8)
        let new = try APNSCredentials().read([try openSSL.file(name)], details, now: .now)
        let keyID = String(name.dropFirst(8).prefix(10))
        #expect(
            new.kind
                == Credential.Kind.token(
                    keyID: keyID, privateKeyPEM: Secret(try openSSL.text("AuthKey_ABC123DEFG.p8").utf8)))
        #expect(new.environments == Self.both && new.topics.isEmpty && new.label == "key \(keyID)")
        #expect(new.fingerprint.utf8.count == 64)
    }

    private static let shop =
        "com.example.shop(app) com.example.shop.complication(complication) com.example.shop.voip(voip) of TEAM000001 for production+sandbox"

    /// All files that contain the same certificate result in the same credential.
    @Test(arguments: [
        Row("modern.p12", passphrase: "secret", gives: "1"), Row("keychain.p12", passphrase: "secret", gives: "1"),
        Row("empty.p12", gives: "1"), Row("empty.p12", passphrase: "", gives: "1"),
        Row("keychain-empty.p12", gives: "1"), Row("keychain-empty.p12", passphrase: "", gives: "1"),
        Row("open.p12", gives: "1"), Row("open.p12", passphrase: "needless", gives: "1"),
        Row("nomac.p12", passphrase: "secret", gives: "1"),
        Row("unicode.p12", passphrase: "Schlüssel-鍵", gives: "1"),
        Row("keychain-unicode.p12", passphrase: "Schlüssel-鍵", gives: "1"),
        Row("old-unicode.p12", passphrase: "Schlüssel", gives: "1"),
        Row("chain.p12", passphrase: "secret", gives: "2"), Row("both.pem", gives: "1"),
        Row("shop.pem", "shop.key", gives: "1"), Row("shop.key", "shop.pem", gives: "1"),
        Row("shop.cer", "shop.der", gives: "1"), Row("shop.cer", "shop.key", gives: "1"),
        Row("shop.pem", "chain.pem", "shop.key", gives: "2"), Row("any-order.pem", gives: "2"),
        Row("dumped.pem", gives: "2"), Row("shop.pem", "pbes2.key", passphrase: "secret", gives: "1"),
        Row("shop.pem", "pbes1.key", passphrase: "Schlüssel-鍵", gives: "1"),
        Row("shop.pem", "scrypt.key", passphrase: "Schlüssel-鍵", gives: "1"),
        Row("shop.pem", "encrypted.der", passphrase: "secret", gives: "1"),
        Row("shop.pem", "traditional.key", passphrase: "Schlüssel", gives: "1"), Row("one-good.pem", gives: "1"),
        Row("shop.pem", "shop.key", "news.key", gives: "1"),
        Row("modern.p12", "chain.pem", passphrase: "secret", gives: "2"),
    ])
    func readsSameCertificateFromAnyFormat(row: Row) throws {
        #expect(try outcome(row) == "\(Self.shop), chain of \(row.result)")
        let openSSL = try SampleFiles.made.get()
        var details = CredentialDetails()
        details.passphrase = row.passphrase.map { Secret($0.utf8) }
        let new = try APNSCredentials().read(row.files.map { try openSSL.file($0) }, details, now: .now)
        let plain = try APNSCredentials().read([try openSSL.file("both.pem")], CredentialDetails(), now: .now)
        guard case .certificate(let chain, let key) = new.kind, case .certificate(let leaf, let plainKey) = plain.kind
        else {
            Issue.record("both files must contain a certificate")
            return
        }
        #expect(chain.first == leaf.first && key == plainKey && new.fingerprint == plain.fingerprint)
        #expect(new.label == "Apple Push Services: com.example.shop")
    }

    @Test(arguments: [
        Row("rsa.p12", passphrase: "secret", gives: "\(shop), chain of 1"),
        Row("rsa.pem", "rsa-traditional.key", passphrase: "secret", gives: "\(shop), chain of 1"),
        Row("future.pem", "future.key", gives: "\(shop), chain of 1"),
        Row("sandbox.pem", "sandbox.key", gives: "com.example.shop(app) of TEAM000001 for sandbox, chain of 1"),
        Row(
            "production.pem", "production.key", gives: "com.example.shop(app) of TEAM000001 for production, chain of 1"),
        Row(
            "voip-uid.pem", "voip-uid.key",
            gives: "com.example.shop.voip(voip) of TEAM000001 for production, chain of 1"),
        Row("push.pem", "push.key", gives: "com.example.shop(app) of TEAM000001 for production+sandbox, chain of 1"),
        Row("development.pem", "development.key", gives: "com.example.shop(app) of TEAM000001 for sandbox, chain of 1"),
        Row(
            "distribution.pem", "distribution.key",
            gives: "com.example.shop(app) of TEAM000001 for production, chain of 1"),
        Row(
            "voip.pem", "voip.key",
            gives: "com.example.shop.voip(voip) of TEAM000001 for production+sandbox, chain of 1"),
        Row("website.pem", "website.key", gives: "web.com.example(website) of TEAM000001 for production, chain of 1"),
        Row("pass.pem", "pass.key", gives: "pass.com.example(pass) of TEAM000001 for production, chain of 1"),
        Row(
            "mdm.pem", "mdm.key",
            gives: "com.apple.mgmt.External.1234(mdm) of TEAM000001 for production, chain of 1"),
    ])
    func readsTopicsAndEnvironmentsOfCertificates(row: Row) throws {
        #expect(try outcome(row) == row.result)
    }

    // MARK: rejected

    @Test(arguments: [
        Row("modern.p12", gives: "modern.p12: needs a passphrase"),
        Row("modern.p12", passphrase: "wrong", gives: "modern.p12: the passphrase is wrong"),
        Row("keychain.p12", passphrase: "wrong", gives: "keychain.p12: the passphrase is wrong"),
        Row("nomac.p12", gives: "nomac.p12: needs a passphrase"),
        Row("nomac.p12", passphrase: "wrong", gives: "nomac.p12: the passphrase is wrong, or it is damaged"),
        Row("flipped.p12", passphrase: "secret", gives: "flipped.p12: the passphrase is wrong"),
        Row("cut.p12", passphrase: "secret", gives: "cut.p12: is cut off: 100 bytes are missing at its end"),
        Row(
            "no-key.p12", passphrase: "secret",
            gives: "no-key.p12: has no private key: export the certificate together with its key"),
        Row(
            "no-certificate.p12", passphrase: "secret",
            gives: "no-certificate.p12: has a private key, but no certificate"),
        Row("shop.pem", "pbes2.key", gives: "pbes2.key: needs a passphrase: its private key is encrypted"),
        Row("shop.pem", "traditional.key", gives: "traditional.key: needs a passphrase: its private key is encrypted"),
        Row(
            "shop.pem", "pbes2.key", passphrase: "wrong",
            gives: "pbes2.key: the passphrase is wrong, or its private key is damaged"),
        Row(
            "shop.pem", "traditional.key", passphrase: "wrong",
            gives: "traditional.key: the passphrase is wrong, or its private key is damaged"),
        Row("shop.pem", gives: "shop.pem: has a certificate, but no private key: name the key's file too"),
        Row("shop.cer", gives: "shop.cer: has a certificate, but no private key: name the key's file too"),
        Row("shop.pem", "news.key", gives: "shop.pem: the private key of news.key does not belong to the certificate"),
        Row(
            "no-key.p12", "shop.key", passphrase: "secret",
            gives: "no-key.p12: has no private key: export the certificate together with its key"),
        Row("shop.key", "news.key", gives: "shop.key: there is more than one private key"),
        Row(
            "two-pairs.pem",
            gives:
                "two-pairs.pem: there are 2 push certificates with their keys (Apple Push Services: com.example.news; Apple Push Services: com.example.shop): import one at a time"
        ),
        Row("web.pem", "web.key", gives: "web.pem: the certificate names no topic: it is not a push certificate"),
        Row(
            "nowhere.pem", "nowhere.key",
            gives: "nowhere.pem: the certificate names no push environment: it is not a push certificate"),
        Row(
            "malformed.pem", "malformed.key",
            gives: "malformed.pem: the certificate has a malformed list of topics (extension 1.2.840.113635.100.6.3.6)"),
        Row("expired.pem", "expired.key", gives: "expired.pem: the certificate expired on 2021-02-01T00:00:00.000Z"),
        Row(
            "rsa1024.pem", "rsa1024.key",
            gives:
                "rsa1024.pem: the certificate's key is RSA with 1024 bits: push certificates have RSA with at least 2048 bits, or P-256"
        ),
        Row(
            "p384.pem", "p384.key",
            gives:
                "p384.pem: the certificate's key is EC secp384r1: push certificates have RSA with at least 2048 bits, or P-256"
        ),
        Row(
            "ed25519.pem", "ed25519.key",
            gives:
                "ed25519.pem: the certificate's key is ED25519: push certificates have RSA with at least 2048 bits, or P-256"
        ),
        Row(
            "AuthKey_RSA0000000.p8",
            gives:
                "AuthKey_RSA0000000.p8: is a private key (RSA with 2048 bits) without a certificate, and Apple's .p8 keys are P-256: if it belongs to a certificate, name that file too"
        ),
        Row(
            "AuthKey_P384000000.p8",
            gives:
                "AuthKey_P384000000.p8: is a private key (EC secp384r1) without a certificate, and Apple's .p8 keys are P-256: if it belongs to a certificate, name that file too"
        ),
        Row(
            "AuthKey_ED25519000.p8",
            gives:
                "AuthKey_ED25519000.p8: is a private key (ED25519) without a certificate, and Apple's .p8 keys are P-256: if it belongs to a certificate, name that file too"
        ),
        Row(
            "AuthKey_CUT0000000.p8",
            gives: "AuthKey_CUT0000000.p8: is cut off: the line -----END PRIVATE KEY----- is missing"),
        Row("renamed.txt", gives: "a key id is required, because renamed.txt is not named AuthKey_<key id>.p8"),
        Row("AuthKey_ABC123DEFG.p8", team: nil, gives: "AuthKey_ABC123DEFG.p8: a team id is required for a .p8 key"),
        Row(
            "AuthKey_ABC123DEFG.p8", team: "team",
            gives: "AuthKey_ABC123DEFG.p8: team id team is not ten upper-case letters and digits"),
        Row(
            "both.pem", team: "TEAM000009",
            gives: "the certificate of both.pem is of team TEAM000001, not of TEAM000009"),
        Row(
            "push.pem", "push.key", team: nil,
            gives: "a team id is required: the certificate of push.pem has none"),
    ])
    func rejectsUnusableCredentialsWithReason(row: Row) throws {
        #expect(try outcome(row) == row.result)
    }

    private static let signed =
        "is a provisioning profile or other signed document: import a .p8 key or a push certificate"
    private static let unknown =
        "is not a credential: expected a .p8 key, a .p12, or PEM with a certificate and its private key"
    private static let request =
        "is a certificate signing request: import the certificate that Apple issues for it, with its private key"

    @Test(arguments: [
        Row("shop.csr", gives: "shop.csr: \(request)"), Row("request.der", gives: "request.der: \(request)"),
        Row("public.pem", gives: "public.pem: is a public key: import the private key"),
        Row("public.der", gives: "public.der: is a public key: import the private key"),
        Row("app.mobileprovision", gives: "app.mobileprovision: \(signed)"),
        Row("bundle.p7b", gives: "bundle.p7b: has certificates only (PKCS#7): export certificate and key as .p12"),
        Row("id_ed25519", gives: "id_ed25519: is an SSH key, which no push service uses"),
        Row("notes.txt", gives: "notes.txt: \(unknown)"), Row("profile.plist", gives: "profile.plist: \(unknown)"),
        Row("zero.txt", gives: "zero.txt: \(unknown)"), Row("garbage.bin", gives: "garbage.bin: \(unknown)"),
        Row("empty.p8", gives: "empty.p8: is empty"),
        Row("huge.p12", gives: "huge.p12: is larger than 1 MiB, so it is not a key file"),
        Row("folder", gives: "folder: is a directory"),
        Row("absent.p8", gives: "absent.p8: does not exist or cannot be read"),
        Row("damaged.pem", "shop.key", gives: "damaged.pem: has a certificate that is damaged"),
        Row("shop.pem", "damaged.key", gives: "damaged.key: has a private key that is damaged or of an unknown kind"),
        Row("shop.pem", "shop.key", "notes.txt", gives: "notes.txt: \(unknown)"),
    ])
    func identifiesFilesOfOtherKinds(row: Row) throws {
        #expect(try outcome(row) == row.result)
    }

    @Test func rejectsExpiredCertificate() throws {
        let row = Row("both.pem", gives: "")
        let end = try #require(
            APNSCredentials().read(
                [SampleFiles.made.get().file("both.pem")], CredentialDetails(), now: .now
            ).notAfter)
        #expect(try outcome(row, now: Timestamp(milliseconds: end.milliseconds - 1)).contains("chain of 1"))
        #expect(try outcome(row, now: end) == "both.pem: the certificate expired on \(end.rfc3339)")
    }
}
