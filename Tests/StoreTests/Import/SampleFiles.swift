import Foundation
import Store
import Testing
import Foundations

/// Files of every kind that an operator may try to import. The openssl command creates them once.
enum SampleFiles {
    static let topics = [
        ("com.example.shop", ["app"]), ("com.example.shop.voip", ["voip"]),
        ("com.example.shop.complication", ["complication"]),
    ]
    static let subject = "/UID=com.example.shop/CN=Apple Push Services: com.example.shop/OU=TEAM000001"

    /// The files, available to the tests of a suite with the trait ``Made``.
    static var made: Result<OpenSSL, any Error> { result.withLock { $0 } ?? .failure(CancellationError()) }

    private static let result = Mutex<Result<OpenSSL, any Error>?>(nil)
    /// The task that creates the files. It runs on its own thread, because it takes seconds and would delay other
    /// tests.
    private static let making = Task {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let files = Result { try make() }
                result.withLock { $0 = files }
                continuation.resume()
            }
        }
    }

    /// A trait that waits until the files are created.
    struct Made: SuiteTrait, TestTrait, TestScoping {
        let isRecursive = true

        func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            await making.value
            try await function()
        }
    }

    private static func make() throws -> OpenSSL {
        let openSSL = try OpenSSL()
        try makeKeys(openSSL)
        try makeCertificates(openSSL)
        try makeExports(openSSL)
        try makeForeignFiles(openSSL)
        return openSSL
    }

    private static func makeKeys(_ openSSL: OpenSSL) throws {
        for line in [
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out AuthKey_ABC123DEFG.p8",
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp384r1 -out AuthKey_P384000000.p8",
            "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out AuthKey_RSA0000000.p8",
            "genpkey -algorithm ED25519 -out AuthKey_ED25519000.p8",
            "ec -in AuthKey_ABC123DEFG.p8 -out AuthKey_SEC1000000.p8",
            "pkcs8 -topk8 -in AuthKey_ABC123DEFG.p8 -passout pass:secret -out AuthKey_SEALED0000.p8",
            "pkcs8 -topk8 -nocrypt -in AuthKey_ABC123DEFG.p8 -outform DER -out AuthKey_DER0000000.p8",
            "ec -in AuthKey_ABC123DEFG.p8 -pubout -out public.pem",
            "ec -in AuthKey_ABC123DEFG.p8 -pubout -outform DER -out public.der",
        ] {
            try openSSL.run(line)
        }
        let key = try openSSL.text("AuthKey_ABC123DEFG.p8")
        try openSSL.write(key, to: "renamed.txt")
        try openSSL.write("\u{FEFF}" + key.replacing("\n", with: "\r\n"), to: "AuthKey_CRLF000000.p8")
        try openSSL.write(key.replacing("\n", with: "\r"), to: "AuthKey_CR00000000.p8")
        try openSSL.write(key.replacing("\n", with: " \n  "), to: "AuthKey_INDENT0000.p8")
        try openSSL.write(Data([0xFF, 0xFE]) + key.encoded(.utf16LittleEndian), to: "AuthKey_UTF16LE000.p8")
        try openSSL.write(Data([0xFE, 0xFF]) + key.encoded(.utf16BigEndian), to: "AuthKey_UTF16BE000.p8")
        try openSSL.write(key.encoded(.utf16LittleEndian), to: "AuthKey_UTF16NONE0.p8")
        try openSSL.write(
            "Bag Attributes\n    Name: Schl\u{FC}ssel\n".encoded(.isoLatin1) + Data(key.utf8),
            to: "AuthKey_LATIN10000.p8")
    }

    private static func makeCertificates(_ openSSL: OpenSSL) throws {
        let apple: [OpenSSL.Extension] = [.production, .sandbox, .topics(topics)]
        try openSSL.certificate("root", subject: "/CN=Root", isAuthority: true)
        try openSSL.certificate("intermediate", subject: "/CN=Intermediate", issuer: "root", isAuthority: true)
        try openSSL.certificate("shop", subject: subject, extensions: apple, issuer: "intermediate")
        try openSSL.certificate("rsa", subject: subject, extensions: apple, newKey: ["rsa:2048"])
        try openSSL.certificate("rsa1024", subject: subject, extensions: apple, newKey: ["rsa:1024"])
        try openSSL.certificate(
            "p384", subject: subject, extensions: apple, newKey: ["ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"])
        try openSSL.certificate("ed25519", subject: subject, extensions: apple, newKey: ["ed25519"])
        try openSSL.certificate(
            "news", subject: "/UID=com.example.news/CN=Apple Push Services: com.example.news/OU=TEAM000001",
            extensions: [.production])
        try openSSL.certificate(
            "expired", subject: subject, extensions: apple, dates: ("20200101000000Z", "20210201000000Z"))
        try openSSL.certificate(
            "future", subject: subject, extensions: apple, dates: ("20900101000000Z", "20910201000000Z"))
        try openSSL.certificate("sandbox", subject: "/UID=com.example.shop/CN=x", extensions: [.sandbox])
        try openSSL.certificate("production", subject: "/UID=com.example.shop/CN=x", extensions: [.production])
        try openSSL.certificate(
            "voip-uid", subject: "/UID=com.example.shop.voip/CN=x", extensions: [.production, .voip])
        for (name, commonName) in [
            ("push", "Apple Push Services: com.example.shop"),
            ("development", "Apple Development IOS Push Services: com.example.shop"),
            ("distribution", "Apple Production IOS Push Services: com.example.shop"),
            ("voip", "VoIP Services: com.example.shop"), ("website", "Website Push ID: web.com.example"),
            ("pass", "Pass Type ID: pass.com.example"),
        ] {
            try openSSL.certificate(name, subject: "/CN=\(commonName)")
        }
        try openSSL.certificate("mdm", subject: "/UID=com.apple.mgmt.External.1234/CN=APSP:1234")
        try openSSL.certificate("web", subject: "/CN=www.example.com")
        try openSSL.certificate("nowhere", subject: "/UID=com.example.shop/CN=x")
        try openSSL.certificate("malformed", subject: subject, extensions: [.malformedTopics, .production])
    }

    private static func makeExports(_ openSSL: OpenSSL) throws {
        // The algorithms that Keychain uses: RC2 with 40 bits for the certificate, 3DES for the key, SHA-1.
        let keychain = "-legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -macalg sha1"
        let modern = "-certpbe AES-256-CBC -keypbe AES-256-CBC -macalg sha256"
        let shop = "pkcs12 -export -in shop.pem -inkey shop.key"
        try openSSL.write(["root.pem", "intermediate.pem"].map(openSSL.text).joined(), to: "chain.pem")
        for line in [
            "\(shop) \(modern) -passout pass:secret -out modern.p12",
            "\(shop) \(keychain) -passout pass:secret -out keychain.p12",
            "\(shop) \(modern) -passout pass: -out empty.p12",
            "\(shop) \(keychain) -passout pass: -out keychain-empty.p12",
            "\(shop) -keypbe NONE -certpbe NONE -nomac -passout pass: -out open.p12",
            "\(shop) \(modern) -nomac -passout pass:secret -out nomac.p12",
            "\(shop) -passout pass:Schlüssel-鍵 -out unicode.p12",
            "\(shop) \(keychain) -passout pass:Schlüssel-鍵 -out keychain-unicode.p12",
            // OpenSSL before 1.1 treats each byte of a passphrase as a character.
            "\(shop) -passout pass:SchlÃ¼ssel -out old-unicode.p12",
            "\(shop) -certfile chain.pem -name Shop -caname I -caname R -passout pass:secret -out chain.p12",
            "pkcs12 -export -in rsa.pem -inkey rsa.key \(keychain) -passout pass:secret -out rsa.p12",
            "pkcs12 -export -in shop.pem -nokeys -passout pass:secret -out no-key.p12",
            "pkcs12 -export -inkey shop.key -nocerts -passout pass:secret -out no-certificate.p12",
            "pkcs8 -topk8 -in shop.key -passout pass:secret -out pbes2.key",
            "pkcs8 -topk8 -in shop.key -v1 PBE-SHA1-3DES -passout pass:Schlüssel-鍵 -out pbes1.key",
            "pkcs8 -topk8 -in shop.key -scrypt -passout pass:Schlüssel-鍵 -out scrypt.key",
            "pkcs8 -topk8 -in shop.key -outform DER -passout pass:secret -out encrypted.der",
            "ec -in shop.key -aes128 -passout pass:Schlüssel -out traditional.key",
            "rsa -traditional -in rsa.key -des3 -passout pass:secret -out rsa-traditional.key",
            "x509 -in shop.pem -outform DER -out shop.cer", "ec -in shop.key -outform DER -out shop.der",
            "pkcs12 -in chain.p12 -passin pass:secret -nodes -out dumped.pem",
            "crl2pkcs7 -nocrl -certfile shop.pem -out bundle.p7b",
        ] {
            try openSSL.run(line)
        }
        try openSSL.write(
            ["intermediate.pem", "shop.key", "root.pem", "shop.pem"].map(openSSL.text).joined(), to: "any-order.pem")
        try openSSL.write(["shop.pem", "shop.key"].map(openSSL.text).joined(), to: "both.pem")
        try openSSL.write(
            ["shop.pem", "shop.key", "news.pem", "news.key"].map(openSSL.text).joined(), to: "two-pairs.pem")
        try openSSL.write(
            ["expired.pem", "expired.key", "shop.pem", "shop.key", "web.pem", "web.key"].map(openSSL.text).joined(),
            to: "one-good.pem")
        let file = try openSSL.data("modern.p12")
        try openSSL.write(file.prefix(file.count - 100), to: "cut.p12")
        try openSSL.write(Data(file.enumerated().map { $0 == 300 ? $1 ^ 0xFF : $1 }), to: "flipped.p12")
    }

    private static func makeForeignFiles(_ openSSL: OpenSSL) throws {
        try openSSL.run("req -in shop.csr -outform DER -out request.der")
        try openSSL.write("<?xml version=\"1.0\"?><plist/>", to: "profile.plist")
        try openSSL.run(
            "cms -sign -in profile.plist -signer shop.pem -inkey shop.key -nodetach -binary -outform DER -out app.mobileprovision"
        )
        try openSSL.write("hello", to: "notes.txt")
        try openSSL.write("0 is the first byte of DER", to: "zero.txt")
        try openSSL.write("", to: "empty.p8")
        try openSSL.write(Data((0..<500).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }), to: "garbage.bin")
        try openSSL.write(Data(repeating: 0x30, count: 1024 * 1024 + 1), to: "huge.p12")
        try openSSL.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "damaged.pem")
        try openSSL.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "damaged.key")
        try openSSL.write(String(try openSSL.text("AuthKey_ABC123DEFG.p8").dropLast(30)), to: "AuthKey_CUT0000000.p8")
        try openSSL.write(
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", to: "id_ed25519")
        try FileManager.default.createDirectory(
            at: openSSL.folder.appending(path: "folder"), withIntermediateDirectories: true)
    }
}

extension String {
    fileprivate func encoded(_ encoding: Encoding) -> Data { data(using: encoding) ?? Data() }
}
