import CredentialStore
import PushModel
import Testing

@Suite(.enabled(if: OpenSSL.isInstalled, OpenSSL.missing))
struct CredentialImporterTests {
    private static let subject = "/UID=com.example.shop/CN=Apple Push Services: com.example.shop/OU=TEAM000001"
    private static let now = Timestamp.now

    private func read(_ openSSL: OpenSSL, _ names: String..., importer: CredentialImporter = CredentialImporter())
        throws -> NewCredential
    {
        try importer.read(try names.map { try openSSL.file($0) }, now: Self.now)
    }

    private func importer(passphrase: String? = nil, team: String? = nil) -> CredentialImporter {
        var importer = CredentialImporter()
        importer.passphrase = passphrase.map { Secret(Array($0.utf8)) }
        importer.team = team
        return importer
    }

    private func refusal(_ body: () throws -> NewCredential) -> String {
        do {
            return "was accepted: \(try body().label)"
        } catch {
            return "\(error)"
        }
    }

    // MARK: .p8

    @Test func aKeyOfApplesIsRead() throws {
        let openSSL = try OpenSSL()
        try openSSL.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out AuthKey_ABC123DEFG.p8")
        let new = try read(openSSL, "AuthKey_ABC123DEFG.p8", importer: importer(team: "TEAM000001"))
        let pem = Secret(Array(try openSSL.text("AuthKey_ABC123DEFG.p8").utf8))
        #expect(new.kind == .token(keyID: "ABC123DEFG", privateKeyPEM: pem))
        #expect(new.team == "TEAM000001")
        #expect(new.environments == [.production, .sandbox])
        #expect(new.topics == [])
        #expect(new.fingerprint.utf8.count == 64)
        #expect(new.label == "key ABC123DEFG")
    }

    @Test func aKeyNeedsItsIDs() throws {
        let openSSL = try OpenSSL()
        try openSSL.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out key.p8")
        var importer = importer(team: "TEAM000001")
        #expect(
            refusal { try read(openSSL, "key.p8", importer: importer) }
                == "the key id is needed: key.p8 is not named AuthKey_<key id>.p8")
        importer.keyID = "abc"
        #expect(
            refusal { try read(openSSL, "key.p8", importer: importer) }
                == "key id abc is not ten upper-case letters and digits")
        importer.keyID = "ABC123DEFG"
        importer.team = nil
        #expect(refusal { try read(openSSL, "key.p8", importer: importer) } == "the team id is needed for a .p8 key")
    }

    @Test func otherKeysAreRefused() throws {
        let openSSL = try OpenSSL()
        try openSSL.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp384r1 -out AuthKey_P384000000.p8")
        try openSSL.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out AuthKey_RSA0000000.p8")
        try openSSL.run("ecparam -name prime256v1 -genkey -noout -out AuthKey_SEC1000000.p8")
        for name in ["AuthKey_P384000000.p8", "AuthKey_RSA0000000.p8", "AuthKey_SEC1000000.p8"] {
            #expect(
                refusal { try read(openSSL, name, importer: importer(team: "TEAM000001")) }
                    == "\(name): is a private key without a certificate, and not a .p8 key of Apple's (PKCS#8, P-256, not encrypted)"
            )
        }
    }

    // MARK: certificates

    @Test func aUniversalCertificateSaysItsTopicsAndEnvironments() throws {
        let openSSL = try OpenSSL()
        let topics = ["com.example.shop", "com.example.shop.voip", "com.example.shop.complication"]
        try openSSL.certificate(
            "shop", subject: Self.subject, extensions: [.sandbox, .production, .topics], topics: topics)
        let new = try read(openSSL, "shop.pem", "shop.key")
        #expect(new.topics == Set(topics))
        #expect(new.environments == [.production, .sandbox])
        #expect(new.team == "TEAM000001")
        #expect(new.label == "Apple Push Services: com.example.shop")
        #expect(try #require(new.notBefore) <= Self.now.plus(seconds: 60))
        #expect(try #require(new.notAfter) > Self.now.plus(seconds: 364 * 86_400))
        guard case .certificate(let chain, let key) = new.kind else {
            Issue.record("not a certificate")
            return
        }
        #expect(chain.count == 1)
        #expect(key.count > 100)
    }

    struct OlderCertificate: Sendable {
        let subject: String
        let extensions: [OpenSSL.Extension]
        let topic: String
        let environments: Set<PushEnvironment>

        init(
            _ subject: String, _ extensions: [OpenSSL.Extension] = [], gives topic: String = "com.example.shop",
            in environments: Set<PushEnvironment>
        ) {
            (self.subject, self.extensions, self.topic, self.environments) = (subject, extensions, topic, environments)
        }
    }

    @Test(arguments: [
        OlderCertificate("/UID=com.example.shop/CN=whatever", [.sandbox], in: [.sandbox]),
        OlderCertificate("/UID=com.example.shop/CN=whatever", [.production], in: [.production]),
        OlderCertificate("/CN=Apple Push Services: com.example.shop", in: [.sandbox, .production]),
        OlderCertificate("/CN=Apple Development IOS Push Services: com.example.shop", in: [.sandbox]),
        OlderCertificate("/CN=Apple Production IOS Push Services: com.example.shop", in: [.production]),
        OlderCertificate("/CN=VoIP Services: com.example.shop", in: [.sandbox, .production]),
        OlderCertificate(
            "/CN=Pass Type ID: pass.com.example", [.production], gives: "pass.com.example", in: [.production]),
        OlderCertificate("/CN=Website Push ID: web.com.example", gives: "web.com.example", in: [.production]),
    ])
    func anOlderCertificateSaysItInItsSubject(certificate: OlderCertificate) throws {
        let openSSL = try OpenSSL()
        try openSSL.certificate("old", subject: certificate.subject, extensions: certificate.extensions)
        let new = try read(openSSL, "old.pem", "old.key", importer: importer(team: "TEAM000001"))
        #expect(new.topics == [certificate.topic])
        #expect(new.environments == certificate.environments)
    }

    @Test func theChainIsKeptWithTheLeafFirst() throws {
        let openSSL = try OpenSSL()
        try openSSL.certificate("other", subject: "/CN=An intermediate", extensions: [])
        try openSSL.certificate("shop", subject: Self.subject, extensions: [.production])
        try openSSL.write(
            openSSL.text("other.pem") + openSSL.text("shop.key") + openSSL.text("shop.pem"), to: "all.pem")
        let (single, all) = (try read(openSSL, "shop.pem", "shop.key"), try read(openSSL, "all.pem"))
        guard case .certificate(let leaf, _) = single.kind, case .certificate(let chain, _) = all.kind else {
            Issue.record("not certificates")
            return
        }
        #expect(chain.count == 2)
        #expect(chain.first == leaf.first)
        #expect(all.fingerprint == single.fingerprint)
    }

    @Test(arguments: ["ec", "rsa:2048"])
    func everyFormOfOneCertificateIsTheSame(newKey: String) throws {
        let openSSL = try OpenSSL()
        try openSSL.certificate("shop", subject: Self.subject, extensions: [.production], newKey: newKey)
        let plain = try read(openSSL, "shop.pem", "shop.key")

        let export = "pkcs12 -export -in shop.pem -inkey shop.key"
        try openSSL.run("\(export) -passout pass:secret -out modern.p12")
        try openSSL.run("\(export) -legacy -passout pass:secret -out legacy.p12")
        try openSSL.run("\(export) -passout pass:Schlüssel -out umlaut.p12")
        try openSSL.run("\(export) -passout pass: -out empty.p12")
        try openSSL.run("\(export) -legacy -passout pass: -out empty-legacy.p12")
        try openSSL.run("pkcs8 -topk8 -in shop.key -passout pass:secret -out encrypted.key")
        try openSSL.run("pkcs12 -in modern.p12 -passin pass:secret -nodes -out dumped.pem")
        try openSSL.run(
            "\(newKey == "ec" ? "ec" : "rsa -traditional") -in shop.key -aes128 -passout pass:secret -out traditional.key"
        )
        let forms: [(files: [String], passphrase: String?)] = [
            (["modern.p12"], "secret"), (["legacy.p12"], "secret"), (["umlaut.p12"], "Schlüssel"), (["empty.p12"], nil),
            (["empty.p12"], ""),
            (["empty-legacy.p12"], nil), (["shop.pem", "encrypted.key"], "secret"),
            (["shop.pem", "traditional.key"], "secret"), (["dumped.pem"], nil), (["shop.key", "shop.pem"], nil),
        ]
        for form in forms {
            let new = try importer(passphrase: form.passphrase).read(
                form.files.map { try openSSL.file($0) }, now: Self.now)
            #expect(new.kind == plain.kind, "\(form)")
            #expect(new.fingerprint == plain.fingerprint, "\(form)")
        }
    }

    // MARK: refusals

    @Test func wrongFilesAreRefusedWithTheReason() throws {
        let openSSL = try OpenSSL()
        try openSSL.certificate("shop", subject: Self.subject, extensions: [.production])
        try openSSL.certificate("other", subject: Self.subject, extensions: [.production])
        try openSSL.certificate("web", subject: "/CN=www.example.com", extensions: [])
        try openSSL.certificate("no-environment", subject: "/UID=com.example.shop/CN=x", extensions: [])
        try openSSL.certificate("malformed", subject: Self.subject, extensions: [.malformedTopics, .production])
        try openSSL.run("pkcs12 -export -in shop.pem -inkey shop.key -passout pass:secret -out shop.p12")
        try openSSL.run("pkcs12 -export -in shop.pem -nokeys -passout pass:secret -out no-key.p12")
        try openSSL.run("pkcs12 -export -inkey shop.key -nocerts -passout pass:secret -out no-certificate.p12")
        try openSSL.run("pkcs8 -topk8 -in shop.key -passout pass:secret -out encrypted.key")
        try openSSL.write("hello", to: "notes.txt")
        try openSSL.write("0 is the first byte of DER", to: "zero.txt")
        try openSSL.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "damaged.pem")
        try openSSL.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "damaged.key")

        let table: [(files: [String], passphrase: String?, message: String)] = [
            (["shop.p12"], nil, "shop.p12: needs a passphrase"),
            (["shop.p12"], "wrong", "shop.p12: the passphrase is wrong"),
            (["no-key.p12"], "secret", "no-key.p12: has no private key: export the certificate together with its key"),
            (["no-certificate.p12"], "secret", "no-certificate.p12: has a private key, but no certificate"),
            (["shop.pem", "encrypted.key"], nil, "encrypted.key: needs a passphrase: its private key is encrypted"),
            (
                ["shop.pem", "encrypted.key"], "wrong",
                "encrypted.key: the passphrase is wrong, or its private key is damaged"
            ),
            (
                ["shop.pem", "encrypted.key"], "Schlüssel",
                "encrypted.key: the passphrase of an encrypted PEM key can only be ASCII: export it as .p12 instead"
            ),
            (["shop.pem"], nil, "shop.pem: has a certificate, but no private key: name the key's file too"),
            (["shop.pem", "other.key"], nil, "shop.pem: the private key does not belong to the certificate"),
            (["shop.pem", "shop.key", "other.key"], nil, "shop.key: there is more than one private key"),
            (["web.pem", "web.key"], nil, "web.pem: the certificate names no topic: it is not a push certificate"),
            (
                ["no-environment.pem", "no-environment.key"], nil,
                "no-environment.pem: the certificate names no push environment: it is not a push certificate"
            ),
            (
                ["malformed.pem", "malformed.key"], nil,
                "malformed.pem: the certificate has a malformed list of topics (extension 1.2.840.113635.100.6.3.6)"
            ),
            (
                ["notes.txt"], nil,
                "notes.txt: is no credential: expected a .p8 key, a .p12, or PEM with a certificate and its private key"
            ),
            (["zero.txt"], nil, "zero.txt: has no private key: export the certificate together with its key"),
            (["damaged.pem", "shop.key"], nil, "damaged.pem: has a certificate that is damaged"),
            (["shop.pem", "damaged.key"], nil, "damaged.key: has a private key that is damaged or of an unknown kind"),
        ]
        for row in table {
            #expect(
                refusal {
                    try importer(passphrase: row.passphrase).read(row.files.map { try openSSL.file($0) }, now: Self.now)
                } == row.message)
        }
    }

    @Test func anExpiredCertificateIsRefused() throws {
        let openSSL = try OpenSSL()
        try openSSL.certificate("shop", subject: Self.subject, extensions: [.production])
        let files = [try openSSL.file("shop.pem"), try openSSL.file("shop.key")]
        let message = refusal { try CredentialImporter().read(files, now: Self.now.plus(seconds: 366 * 86_400)) }
        #expect(message.hasPrefix("shop.pem: the certificate expired on 20"), "\(message)")
    }

    @Test func aMissingFileIsNamed() {
        #expect(
            throws: CredentialStoreError(.badCredentialFile, "/nowhere/key.p8: no such file, or it can't be read")
        ) { try CredentialFile(path: "/nowhere/key.p8") }
    }
}

extension Timestamp {
    fileprivate func plus(seconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds + seconds * 1000) }
}
