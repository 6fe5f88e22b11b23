import APNSSimulator
import CredentialFormats
import Foundation
import NIOSSL
import TestSupport
import Testing

@Suite struct CertificateTests {
    /// A certificate made with OpenSSL, so that the test of the decoder does not depend on our encoder.
    private static let withTopicList = """
        MIICXzCCAgWgAwIBAgIUCrFlYcQ2/RYIlKPeCncYBzPS3y0wCgYIKoZIzj0EAwIwTzEfMB0GCgmSJomT8ixkAQEMD2NvbS5l
        eGFtcGxlLnVpZDEsMCoGA1UEAwwjQXBwbGUgUHVzaCBTZXJ2aWNlczogY29tLmV4YW1wbGUuY24wIBcNMjYxMTIxMDEyMTM5
        WhgPMjEyNjEwMjgwMTIxMzlaME8xHzAdBgoJkiaJk/IsZAEBDA9jb20uZXhhbXBsZS51aWQxLDAqBgNVBAMMI0FwcGxlIFB1
        c2ggU2VydmljZXM6IGNvbS5leGFtcGxlLmNuMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEJTRK1V6fHt3nYjMypgl/SSO
        WGPt0PtAIyAaYpSSTlmEYPHG3Pk9QzMZuu05vRUgDOox0xXYJLJ8gOUzr4QQPaOBvDCBuTAQBgoqhkiG92NkBgMBBAIFADAQ
        BgoqhkiG92NkBgMCBAIFADB0BgoqhkiG92NkBgMGBGYwZAwPY29tLmV4YW1wbGUuYXBwMAUMA2FwcAwUY29tLmV4YW1wbGUu
        YXBwLnZvaXAwBgwEdm9pcAwcY29tLmV4YW1wbGUuYXBwLmNvbXBsaWNhdGlvbjAODAxjb21wbGljYXRpb24wHQYDVR0OBBYE
        FA3UwLpowXMFdJ7Wd1ZJbI7V+wtpMAoGCCqGSM49BAMCA0gAMEUCIQCmmYqUg58g67SeMBNdTkMqJhLrsdlctlUgZ5OxoSTO
        rQIgJV4hAQ6rQJtVyoVMd2053N15IyxyuqxnZg9CRMUASdA=
        """
    private static let withUserID = """
        MIIB1TCCAXugAwIBAgIUHmlZy2VB3CM6TkijjY7G5766VMkwCgYIKoZIzj0EAwIwTzEfMB0GCgmSJomT8ixkAQEMD2NvbS5l
        eGFtcGxlLnVpZDEsMCoGA1UEAwwjQXBwbGUgUHVzaCBTZXJ2aWNlczogY29tLmV4YW1wbGUuY24wIBcNMjYxMTIxMDEyMTM5
        WhgPMjEyNjEwMjgwMTIxMzlaME8xHzAdBgoJkiaJk/IsZAEBDA9jb20uZXhhbXBsZS51aWQxLDAqBgNVBAMMI0FwcGxlIFB1
        c2ggU2VydmljZXM6IGNvbS5leGFtcGxlLmNuMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEgbspUjzs+etmxIvz9yqQxz2B
        F5/zWpp4OfwfcEexLQYIdwz6wWRIfXNCzSrs/8G8cO92s54c7JJfA+pkz1f1iKMzMDEwEAYKKoZIhvdjZAYDAgQCBQAwHQYD
        VR0OBBYEFHehijMmTJ2KQFRKgd1z8nF41ffeMAoGCCqGSM49BAMCA0gAMEUCIETz8Suz6qnX1eyTuQq0fOx8J41gd1YhtcRt
        kvHXIEW+AiEA9Y17I9cU8sfvFiv/mqBlWh54a5PgpMmyQEAUQuZfEck=
        """
    private static let withCommonNameOnly = """
        MIIBkzCCATmgAwIBAgIUA4GObdhPg1jyw/xgqaBXF2HWQHswCgYIKoZIzj0EAwIwLjEsMCoGA1UEAwwjQXBwbGUgUHVzaCBT
        ZXJ2aWNlczogY29tLmV4YW1wbGUuY24wIBcNMjYxMTIxMDEyMTM5WhgPMjEyNjEwMjgwMTIxMzlaMC4xLDAqBgNVBAMMI0Fw
        cGxlIFB1c2ggU2VydmljZXM6IGNvbS5leGFtcGxlLmNuMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZHbF5W3rJjSMU7y1
        jfzH+g/2mVy8uJ+xdS0DHx8C0NlETyDXs84u4g7iLTTvO3MPKd4bKJd+bEAIAcQ/xOTnSaMzMDEwEAYKKoZIhvdjZAYDAQQC
        BQAwHQYDVR0OBBYEFOZ5nvP8XJRHVtW6L0jbqL3fxCwQMAoGCCqGSM49BAMCA0gAMEUCIBXtntsh8PA+pcOethxfPsHlMxjM
        KxsI8oEChFyCe7YJAiEAjNp/4uv+bDPdtl9vw/R7ZL5tI2PXK0mC/2hb1Z5OA+w=
        """

    private func identity(_ base64: String) throws -> ClientIdentity {
        let bytes = try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters))
        return try ClientIdentity(derEncodedCertificate: Array(bytes))
    }

    @Test func readsTopicsFromTopicList() throws {
        let identity = try identity(Self.withTopicList)
        #expect(identity.topics == ["com.example.app", "com.example.app.voip", "com.example.app.complication"])
        #expect(identity.environments == [.sandbox, .production])
    }

    @Test func readsTopicFromUserIDWithoutTopicList() throws {
        let identity = try identity(Self.withUserID)
        #expect(identity.topics == ["com.example.uid"])
        #expect(identity.environments == [.production])
    }

    @Test func readsTopicFromCommonNameWithoutUserID() throws {
        let identity = try identity(Self.withCommonNameOnly)
        #expect(identity.topics == ["com.example.cn"])
        #expect(identity.environments == [.sandbox])
    }

    /// Older certificates without the extensions that mark environments.
    @Test(
        arguments: [
            ("Apple Development IOS Push Services: com.example", [.sandbox]),
            ("Apple Production IOS Push Services: com.example", [.production]),
            ("Apple Push Services: com.example", [.sandbox, .production]), ("Pass Type ID: com.example", [.production]),
            ("Some Service: com.example", []),
        ] as [(String, Set<SimulatorConfiguration.Environment>)])
    func readsEnvironmentsFromCommonNameWithoutExtensions(
        name: String, environments: Set<SimulatorConfiguration.Environment>
    ) async throws {
        let made = try await Subprocess.run([
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "/dev/null", "-subj", "/CN=\(name)",
        ])
        let identity = try identity(base64(made.output))
        #expect(identity.environments == environments)
        #expect(identity.topics == ["com.example"])
    }

    private func base64(_ pem: String) -> String {
        pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    /// Python 3.13 and later verify certificates strictly.
    @Test func issuesCertificatesThatPassStrictVerification() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apns-simulator-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try AuthorityDirectory(path: folder.path).loadOrCreate()
        for issued in [
            try authority.issueServerCertificate(), try authority.issueClientCertificate(app: "com.example"),
        ] {
            let leaf = folder.appending(path: "leaf.pem")
            try Data(issued.certificatePEM.utf8).write(to: leaf)
            let verified = try await Subprocess.run([
                "/usr/bin/openssl", "verify", "-x509_strict", "-CAfile", folder.appending(path: "ca.pem").path,
                leaf.path,
            ])
            #expect(verified.status == 0, "\(verified)")
        }
    }

    @Test(arguments: ["", "secret"], CertificateAuthority.KeyKind.allCases)
    func writesCertificateAndKeyToPKCS12(passphrase: String, key: CertificateAuthority.KeyKind) async throws {
        let issued = try CertificateAuthority().issueClientCertificate(app: "com.example", key: key)
        let bytes = try PKCS12Writer.write(
            certificatePEM: issued.certificatePEM, privateKeyPEM: issued.privateKeyPEM, name: "com.example",
            passphrase: passphrase)
        let bundle = try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: Array(passphrase.utf8))
        let written = try #require(Data(base64Encoded: base64(issued.certificatePEM)))
        #expect(try bundle.certificateChain.first?.toDERBytes() == Array(written))
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString).p12")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        let shown = try await Subprocess.run([
            "/usr/bin/openssl", "pkcs12", "-in", file.path, "-nodes", "-info", "-passin", "pass:\(passphrase)",
        ])
        // The oldest PKCS#12 readers require this MAC.
        #expect(shown.status == 0 && shown.errors.contains("MAC: sha1, Iteration 2048"), "\(shown)")
        #expect(shown.output.contains("friendlyName: com.example"), "\(shown)")
    }

    @Test func reusesThrowawayKey() throws {
        let path = FileManager.default.temporaryDirectory.path + "/apns-simulator-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let key = try AuthorityDirectory(path: path).loadOrCreateKey()
        let again = try AuthorityDirectory(path: path).loadOrCreateKey()
        let mode = try FileManager.default.attributesOfItem(atPath: key.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        var verifier = ProviderTokenVerifier(isStrict: true)
        verifier.register(key.tokenKey)
        let text = try again.providerToken(issuedAt: Date(timeIntervalSince1970: 1_800_000_000))
        let token = Array("bearer \(text)".utf8).withUnsafeBytes { verifier.verify($0) }
        #expect(token?.issuedAt == 1_800_000_000 && token?.team == ThrowawayKey.team)
        try Data("no key".utf8).write(to: URL(filePath: key.path))
        let error = #expect(throws: SimulatorError.self) { try AuthorityDirectory(path: path).loadOrCreateKey() }
        #expect(error?.description.contains(key.path) == true)
    }

    @Test func issuesCertificateAsRequested() throws {
        let authority = try CertificateAuthority()
        let issued = try authority.issueClientCertificate(
            app: "com.example", topics: ["com.example", "com.example.voip"], environments: [.sandbox])
        let der = issued.certificatePEM.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let identity = try identity(der)
        #expect(identity.topics == ["com.example", "com.example.voip"])
        #expect(identity.environments == [.sandbox])
    }
}
