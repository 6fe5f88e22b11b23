import APNSSimulator
import Foundation
import Testing

@Suite struct CertificateTests {
    /// Made with OpenSSL, so that our own encoder does not vouch for our decoder.
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

    @Test func topicListComesFirst() throws {
        let identity = try identity(Self.withTopicList)
        #expect(identity.topics == ["com.example.app", "com.example.app.voip", "com.example.app.complication"])
        #expect(identity.environments == [.sandbox, .production])
    }

    @Test func withoutListTheUserIDIsTheTopic() throws {
        let identity = try identity(Self.withUserID)
        #expect(identity.topics == ["com.example.uid"])
        #expect(identity.environments == [.production])
    }

    @Test func withoutUserIDTheCommonNameSaysIt() throws {
        let identity = try identity(Self.withCommonNameOnly)
        #expect(identity.topics == ["com.example.cn"])
        #expect(identity.environments == [.sandbox])
    }

    @Test func issuedCertificateSaysWhatWasAsked() throws {
        let authority = try CertificateAuthority()
        let issued = try authority.issueClientCertificate(
            app: "com.example", topics: ["com.example", "com.example.voip"], environments: [.sandbox])
        let der = issued.certificatePEM.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let identity = try identity(der)
        #expect(identity.topics == ["com.example", "com.example.voip"])
        #expect(identity.environments == [.sandbox])
    }

    @Test func authorityIsTheSameAfterARestartAndItsKeyIsPrivate() throws {
        let path = FileManager.default.temporaryDirectory.path + "/apns-simulator-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = AuthorityDirectory(path: path)
        let first = try directory.loadOrCreate().certificatePEM
        #expect(try directory.loadOrCreate().certificatePEM == first)
        #expect(try String(contentsOfFile: directory.certificatePath, encoding: .utf8) == first)
        let mode = try FileManager.default.attributesOfItem(atPath: path + "/ca-key.pem")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func damagedAuthorityIsReportedByFile() throws {
        let path = FileManager.default.temporaryDirectory.path + "/apns-simulator-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = AuthorityDirectory(path: path)
        _ = try directory.loadOrCreate()
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path + "/ca-key.pem"))
        let error = #expect(throws: SimulatorError.self) { try directory.loadOrCreate() }
        #expect(error?.description.contains("ca-key.pem") == true)
    }

    @Test func directoryThatCannotBeMadeIsReported() {
        let error = #expect(throws: SimulatorError.self) {
            try AuthorityDirectory(path: "/dev/null/simulator").loadOrCreate()
        }
        #expect(error?.description.contains("/dev/null/simulator") == true)
    }
}
