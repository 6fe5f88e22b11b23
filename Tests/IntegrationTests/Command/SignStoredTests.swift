import APNSSimulator
import Foundation
import TestSupport
import TestTraits
import Testing

/// `martlet sign` with a certificate that is stored in the database. The test target PackageSigningTests checks the
/// contents of packages.
@Suite(.needsServers)
struct SignStoredTests {
    private struct Imported: Decodable {
        let id: String
    }

    @Test func signsWebsiteWithStoredCertificate() async throws {
        try await Installation.with { installation in
            let issued = try installation.simulator.certificateAuthority.issueClientCertificate(
                app: "web.com.example.news")
            try installation.write(issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n", to: "push.pem")
            let made = try await Subprocess.run(
                "/usr/bin/openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_KEY1234567.p8"
                    .split(separator: " ").map(String.init), in: installation.folder)
            try #require(made.status == 0, "\(made)")
            func id(of file: String) async throws -> String {
                let imported = try await installation.martlet([
                    "credential", "import", installation.path(file), "--team", "TEAM000001", "--json",
                ])
                #expect(imported.status == 0, "\(imported)")
                return try JSONDecoder().decode(Imported.self, from: Data(imported.output.utf8)).id
            }
            let certificate = try await id(of: "push.pem"), key = try await id(of: "AuthKey_KEY1234567.p8")
            try makeWebsite(in: installation.folder.appending(path: "site"))
            func sign(_ credential: String) async throws -> Subprocess.Finished {
                try await installation.martlet([
                    "sign", "website", installation.path("site"), "--credential", credential, "--intermediate",
                    installation.path("ca.pem"), "--output", installation.path("package.zip"),
                ])
            }
            let signed = try await sign(certificate)
            #expect(
                signed.status == 0 && signed.output.contains("package.zip: web.com.example.news, 7 files"), "\(signed)")
            for command in [
                "/usr/bin/python3 -m zipfile -e package.zip unpacked",
                "/usr/bin/openssl cms -verify -binary -inform DER -in unpacked/signature -content unpacked/manifest.json -CAfile ca.pem -purpose any -out verified",
            ] {
                let finished = try await Subprocess.run(
                    command.split(separator: " ").map(String.init), in: installation.folder)
                #expect(finished.status == 0, "\(command): \(finished)")
            }
            try FileManager.default.removeItem(atPath: installation.path("package.zip"))
            let byKey = try await sign(key)
            #expect(
                byKey.status == 1
                    && byKey.errors.contains("is a key, but Apple requires packages to be signed with a certificate"),
                "\(byKey)"
            )
            #expect(try await installation.martlet(["credential", "retire", certificate]).status == 0)
            let retired = try await sign(certificate)
            #expect(
                retired.status == 1
                    && retired.errors.contains("there is no credential \(certificate), or it is retired"), "\(retired)")
        }
    }

    private func makeWebsite(in folder: URL) throws {
        let icons = folder.appending(path: "icon.iconset")
        try FileManager.default.createDirectory(at: icons, withIntermediateDirectories: true)
        let json = """
            {"websiteName": "News", "websitePushID": "web.com.example.news", "allowedDomains": ["https://example.com"],
             "urlFormatString": "https://example.com/%@", "authenticationToken": "19f8d7a6e9fb8a7f6d9330dabe",
             "webServiceURL": "https://example.com/push"}
            """
        try Data(json.utf8).write(to: folder.appending(path: "website.json"))
        for (name, side) in [
            ("16x16", 16), ("16x16@2x", 32), ("32x32", 32), ("32x32@2x", 64), ("128x128", 128), ("128x128@2x", 256),
        ] {
            let size = Data([0, 0, UInt8(side >> 8), UInt8(side & 0xFF)])
            let png =
                Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR".utf8) + size + size
            try png.write(to: icons.appending(path: "icon_\(name).png"))
        }
    }
}
