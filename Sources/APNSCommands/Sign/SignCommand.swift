import ArgumentParser
import PackageSigning

struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign a website's push package or a Wallet pass.",
        subcommands: [Website.self, Pass.self])

    private static let whose = """
        The certificate comes from files (--file) or from the database (--credential). Apple's intermediate \
        certificate, the issuer of yours, must be with it, or be given with --intermediate.
        """

    struct Website: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a website's push package for Safari 15 and earlier.",
            discussion: """
                The folder has website.json and icon.iconset with six icons. \(whose)

                New sites do not need a package, because Safari 16 and later support Web Push.
                """)

        /// The version in the URL that Safari requests, which contains `…/v2/pushPackages/…` or `…/v1/pushPackages/…`.
        enum ManifestVersion: String, ExpressibleByArgument, CaseIterable {
            case v2, v1

            var hashes: Manifest { self == .v2 ? .sha512 : .sha1 }
        }

        @Option(help: "The package version: v2 (SHA-512) or v1 (SHA-1). Safari requests it in the URL.")
        var manifest = ManifestVersion.v2

        @OptionGroup var options: SigningOptions

        func run() async throws {
            let package = try WebsitePackage(options.source(), json: options.description())
            let identity = try await options.identity()
            try identity.check(id: package.id, in: "\(WebsitePackage.description): websitePushID")
            let archive = try SignedPackage.archive(package.files, manifest.hashes, by: identity)
            try options.write(archive, of: package.id, package.files.count, package.leftOut, by: identity)
        }
    }

    struct Pass: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a pass for Apple Wallet.",
            discussion: """
                The folder has pass.json, icon.png and the pass's other files. Translations are in folders such as \
                en.lproj. \(whose)
                """)

        @OptionGroup var options: SigningOptions

        func run() async throws {
            let package = try PassPackage(options.source(), json: options.description())
            let identity = try await options.identity()
            try identity.check(
                id: package.id, in: "\(PassPackage.description): passTypeIdentifier", team: package.team,
                in: "\(PassPackage.description): teamIdentifier")
            let archive = try SignedPackage.archive(package.files, .sha1, by: identity)
            try options.write(
                archive, of: "\(package.id) \(package.serialNumber)", package.files.count, package.leftOut, by: identity
            )
        }
    }
}
