import Foundation
import TestSupport
import Testing

/// The command `martlet sign`, whose packages are verified with other programs.
@Suite struct SignCommandTests {
    private struct Found: Decodable {
        let files, hashes: [String]
        let time, detached, capabilities: Bool
        let certificates: Int
    }

    @Test func signsPassAsAppleRequires() async throws {
        let authority = try await SigningAuthority(), source = try SourceFiles.pass(), place = try SourceFiles()
        try await authority.issue("pass", SigningAuthority.pass)
        try await authority.run([
            "pkcs12", "-export", "-in", "pass.pem", "-inkey", "pass.key", "-out", "pass.p12", "-passout",
            "pass:hunter2",
        ])
        try authority.files.write("hunter2\n", to: "passphrase")
        let arguments = [
            "pass", source.path, "--file", authority.path("pass.p12"), "--passphrase-file",
            authority.path("passphrase"),
            "--intermediate", authority.path("g4.cer"), "--output", place.path("coffee.pkpass"),
        ]
        let said = try await sign(arguments).output.split(separator: "\n").map(String.init)
        let summary = "pass.com.example.coffee 0001, 6 files, signed; the certificate expires on 20"
        #expect(said.first?.hasPrefix("\(place.path("coffee.pkpass")): \(summary)") == true, "\(said)")
        #expect(said.dropFirst() == ["left out: manifest.json, signature"])
        let found = try await verify("coffee.pkpass", in: place, authority)
        #expect(
            found.files == [
                "de.lproj/logo.png", "de.lproj/pass.strings", "en.lproj/pass.strings", "icon.png", "icon@2x.png",
                "pass.json",
            ])
        #expect(
            found.hashes == ["sha1"] && found.time && found.detached && !found.capabilities && found.certificates == 2)

        // An existing file is replaced only with --force.
        let again = try await Subprocess.run([Project.command, "sign"] + arguments)
        #expect(
            again.status == 1 && again.errors.contains("coffee.pkpass: already exists; --force replaces it"),
            "\(again)")
        _ = try await sign(arguments + ["--force"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == ["coffee.pkpass", "unpacked"])

        // `sign` writes to the target of a link, and into an existing pipe or device. It replaces none of them with a
        // regular file. Pipes and devices need no --force.
        try place.link("link.pkpass", to: "coffee.pkpass")
        try place.write("old", to: "coffee.pkpass")
        _ = try await sign(arguments.dropLast() + [place.path("link.pkpass"), "--force"])
        #expect(try Data(contentsOf: place.folder.appending(path: "coffee.pkpass")).starts(with: Data("PK".utf8)))
        // A link to a missing file is itself replaced, even if it is in the folder with the pass.
        for files in [place, source] {
            try files.link("dangling.pkpass", to: "nowhere.pkpass")
            let path = files.path("dangling.pkpass")
            _ = try await sign(arguments.dropLast() + [path, "--force"])
            let kind = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            #expect(kind == .typeRegular && !FileManager.default.fileExists(atPath: files.path("nowhere.pkpass")))
            try files.remove("dangling.pkpass")
        }
        let command = ([Project.command, "sign"] + arguments.dropLast()).map { "'\($0)'" }.joined(separator: " ")
        let streams = try await Subprocess.run(
            [
                "/bin/sh", "-ec",
                "mkfifo pipe; timeout 30 cat pipe > a & \(command) pipe; wait $!; test -p pipe; "
                    + "\(command) /dev/stdout | cat > b; test -L link.pkpass; head -c 2 a; head -c 2 b; rm a b pipe link.pkpass",
            ], in: place.folder)
        #expect(streams.status == 0 && streams.output.hasSuffix("PKPK"), "\(streams)")

        // The verification detects a changed file, and also a renamed file with a matching change to the manifest.
        let unpacked = try SourceFiles()
        try FileManager.default.copyItem(
            at: place.folder.appending(path: "unpacked"), to: unpacked.folder.appending(path: "a"))
        try unpacked.replace("0001", by: "0002", in: "a/pass.json")
        #expect(
            try await verified(unpacked.path("a"), authority).errors.contains(
                "pass.json: another hash than in the manifest"))
        try unpacked.replace("0002", by: "0001", in: "a/pass.json")
        #expect(try await verified(unpacked.path("a"), authority).status == 0)
        try unpacked.replace("icon.png", by: "icon.pnG", in: "a/manifest.json")
        try FileManager.default.moveItem(atPath: unpacked.path("a/icon.png"), toPath: unpacked.path("a/icon.pnG"))
        #expect(
            try await verified(unpacked.path("a"), authority).errors.contains("signature: CMS Verification failure"))
    }

    @Test(arguments: [("v2", "sha512"), ("v1", "sha1")])
    func signsWebsiteAsSafariRequires(version: String, hash: String) async throws {
        let authority = try await SigningAuthority(), source = try SourceFiles.website(), place = try SourceFiles()
        try await authority.issue("website", SigningAuthority.website)
        let files = ["website.pem", "website.key", "g4.pem"].flatMap { ["--file", authority.path($0)] }
        // A web service can use pipes in this way, with one user's JSON as input and the package as output.
        let command =
            ([Project.command, "sign", "website", source.path, "--json", "-", "--output", "-", "--manifest", version]
            + files)
            .map { "'\($0)'" }.joined(separator: " ")
        let json = SourceFiles.websiteJSON.replacingOccurrences(of: "19f8d7a6", with: "ffffffff")
        let finished = try await Subprocess.run(
            ["/bin/sh", "-c", "\(command) > '\(place.path("package.zip"))'"], input: json)
        #expect(finished.status == 0 && finished.output.isEmpty, "\(finished)")
        #expect(finished.errors.hasPrefix("-: web.com.example.domain, 7 files, signed; "), "\(finished)")
        let found = try await verify("package.zip", in: place, authority)
        #expect(found.files.count == 7 && found.hashes == [hash] && found.certificates == 2 && found.detached)
        #expect(try String(contentsOf: place.folder.appending(path: "unpacked/website.json"), encoding: .utf8) == json)
    }

    @Test func rejectsUnsuitableCertificates() async throws {
        let authority = try await SigningAuthority(), pass = try SourceFiles.pass(), place = try SourceFiles()
        let output = ["--output", place.path("out")], issuer = ["--intermediate", authority.path("g4.pem")]
        try await authority.issue("pass", SigningAuthority.pass)
        try await authority.issue("other", SigningAuthority.pass.replacingOccurrences(of: "coffee", with: "tea"))
        try await authority.issue(
            "team", SigningAuthority.pass.replacingOccurrences(of: "TEAM000001", with: "TEAM000002"))
        try await authority.run([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", "AuthKey_KEY1234567.p8",
        ])
        func expect(_ error: String, _ arguments: [String]) async throws {
            let finished = try await Subprocess.run([Project.command, "sign", "pass", pass.path] + output + arguments)
            #expect(finished.status != 0 && finished.errors.contains(error), "\(arguments): \(finished)")
        }
        func files(_ name: String) -> [String] {
            ["--file", authority.path("\(name).pem"), "--file", authority.path("\(name).key")]
        }
        try await expect(
            "pass.json: passTypeIdentifier: is pass.com.example.coffee, but the certificate of other.pem (Pass Type ID: pass.com.example.tea) is for pass.com.example.tea",
            files("other") + issuer)
        try await expect(
            "pass.json: teamIdentifier: is TEAM000001, but the certificate of team.pem (Pass Type ID: pass.com.example.coffee) is of team TEAM000002",
            files("team") + issuer)
        try await expect("pass the certificate of /CN=Developer Relations/OU=G4 with --intermediate", files("pass"))
        try await expect(
            "pass.key: has no certificate", files("pass") + ["--intermediate", authority.path("pass.key")])
        try await expect("pass.pem: has a certificate, but no private key", ["--file", authority.path("pass.pem")])
        try await expect(
            "AuthKey_KEY1234567.p8: no certificate, but Apple requires packages to be signed with one",
            ["--file", authority.path("AuthKey_KEY1234567.p8")])
        try await expect("pass either --file or --credential", [])
        try pass.replace("\"0001\"", by: "1", in: "pass.json")
        try await expect("pass.json: serialNumber: must be a string", files("pass") + issuer)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
    }

    private func sign(_ arguments: [String]) async throws -> Subprocess.Finished {
        let finished = try await Subprocess.run([Project.command, "sign"] + arguments)
        #expect(finished.status == 0, "\(arguments): \(finished)")
        return finished
    }

    /// Unpacks an archive with Python, verifies its files and signature, and returns the findings.
    private func verify(_ archive: String, in place: SourceFiles, _ authority: SigningAuthority) async throws -> Found {
        let unpacked = try await Subprocess.run(
            ["/usr/bin/python3", "-m", "zipfile", "-e", archive, "unpacked"], in: place.folder)
        try #require(unpacked.status == 0, "\(unpacked)")
        let finished = try await verified(place.path("unpacked"), authority)
        try #require(finished.status == 0, "\(finished)")
        return try JSONDecoder().decode(Found.self, from: Data(finished.output.utf8))
    }

    private func verified(_ folder: String, _ authority: SigningAuthority) async throws -> Subprocess.Finished {
        let script = Project.root.appending(path: "Tests/PackageSigningTests/Clients/verify.py").path
        return try await Subprocess.run(["/usr/bin/python3", script, folder, authority.path("root.pem")])
    }
}
