import ArgumentParser
import CredentialFormats
import Glibc
import PostgresClient
import PushModel

/// The options of `credential create` for a backup file of the private key. Only the file's owner can read it.
struct KeyBackup: ParsableArguments {
    @Option(
        help: "The file for a backup of the private key (PEM, mode 0600), which 'credential import' can read.",
        completion: .file())
    var out: String?

    @Option(help: "The file with the passphrase that encrypts --out; '-' prompts for it.", completion: .file())
    var passphraseFile: String?

    func validate() throws {
        if passphraseFile != nil, out == nil { throw ValidationError("--passphrase-file requires --out") }
        if out == "-" || out?.isEmpty == true { throw ValidationError("--out requires a file: the key is not printed") }
    }

    /// Writes the backup file, then runs an operation that depends on it. If the operation fails, the file is
    /// removed, unless the database may have stored the credential.
    func keeping<Value>(_ new: NewCredential, _ body: () async throws -> Value) async throws -> Value {
        guard let out else { return try await body() }
        guard let key = new.backup else { throw ValidationError("--out: this output has no private key to write") }
        try Self.write(try encrypted(key), to: out)
        do {
            return try await body()
        } catch let error as PostgresError where [.connectionLost, .timedOut].contains(error.code) {
            throw CredentialFault("\(error); if the credential is stored, its only backup is \(out)")
        } catch {
            unlink(out)
            throw error
        }
    }

    private func encrypted(_ key: Secret) throws -> Secret {
        guard let passphraseFile else { return key }
        let passphrase = try PassphraseOption.read(
            passphraseFile, prompts: ["Passphrase for the key: ", "Repeat the passphrase: "])
        guard passphrase.count > 0 else { throw ValidationError("--passphrase-file: the passphrase is empty") }
        let contents = try CredentialFile(name: "the key", contents: key).open(passphrase: nil)
        guard let opened = contents.keys.first else { throw CredentialFault("the key cannot be encrypted") }
        return try opened.encryptedPEM(passphrase: passphrase)
    }

    /// Writes a key to a new file that only its owner can read.
    ///
    /// - Throws: `ValidationError` if the file exists or cannot be written completely.
    private static func write(_ key: Secret, to path: String) throws {
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw ValidationError("--out \(path): \(String(cString: strerror(errno)))") }
        let isWritten = key.withBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return fsync(file) == 0
        }
        let problem = errno
        close(file)
        guard isWritten else {
            unlink(path)
            throw ValidationError("--out \(path): \(String(cString: strerror(problem)))")
        }
    }
}
