import ArgumentParser
import CredentialFormats
import Foundation
package import PushModel
import Store

/// The options that describe a credential in files, for commands such as `credential import` and `push`.
package struct CredentialFileOptions: ParsableArguments {
    @Option(help: "The key id of a .p8 key. Default: from its file name, AuthKey_<id>.p8.")
    var keyID: String?

    @Option(
        name: .customLong("environment"),
        help: "The environment of a .p8 key. May be given twice. A certificate contains its environments.")
    var environments: [PushEnvironment] = []

    @Option(
        name: .customLong("topic"),
        help: "A topic of a topic-specific .p8 key. May be repeated.")
    var topics: [String] = []

    @OptionGroup var passphrase: PassphraseOption

    @Option(help: "The contact in a VAPID key's tokens: mailto:push@yourdomain.com or an https URL.")
    var subject: String?

    @Option(help: "A label for operators.")
    var label: String?

    package init() {}

    /// Reads a credential from its files.
    ///
    /// - Parameters:
    ///   - account: the account of the credential, or `nil` to take it from the files.
    ///   - isTrial: whether the credential is only shown and not stored. It may then lack an account.
    /// - Throws: `CredentialFault`, which names the file and its fault.
    package func read(
        _ files: [String], of account: String?, for credentials: any OutputCredentials, isTrial: Bool = false
    ) throws -> NewCredential {
        var details = CredentialDetails()
        details.account = account
        details.mayLackAccount = isTrial
        details.keyID = keyID
        details.environments = environments.isEmpty ? nil : Set(environments)
        details.topics = Set(topics)
        details.subject = subject
        details.label = label
        details.passphrase = try passphrase.read()
        return try credentials.read(try files.map { try CredentialFile(path: $0) }, details, now: .now)
    }
}
