import ArgumentParser
import Foundation
package import PushModel

/// The option for the passphrase of an encrypted file.
package struct PassphraseOption: ParsableArguments {
    @Option(help: "The file with the passphrase of a .p12 or encrypted key; '-' prompts for it.", completion: .file())
    var passphraseFile: String?

    package init() {}

    /// Reads the passphrase from the given file.
    ///
    /// - Returns: the passphrase, or `nil` if the option is not given.
    package func read() throws -> Secret? {
        try passphraseFile.map { try Self.read($0, prompts: ["Passphrase: "]) }
    }

    /// Returns the passphrase from a file, or from the terminal if the file is `-`.
    ///
    /// - Parameter prompts: the prompts on the terminal. The passphrase must be typed once for each prompt.
    static func read(_ file: String, prompts: [String]) throws -> Secret {
        if file == "-" {
            let typed = try prompts.map { prompt in
                guard let typed = getpass(prompt) else {
                    throw ValidationError("no terminal to read a passphrase from; pass --passphrase-file")
                }
                return Secret(String(cString: typed).utf8)
            }
            guard let first = typed.first, typed.allSatisfy({ $0 == first }) else {
                throw ValidationError("the passphrases do not match")
            }
            return first
        }
        let text: String
        do {
            text = try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw ValidationError("--passphrase-file \(file): \(error.localizedDescription)")
        }
        return Secret(text.trimmingCharacters(in: .newlines).utf8)
    }
}
