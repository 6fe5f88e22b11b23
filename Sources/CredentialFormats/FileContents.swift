public import PushModel

/// The keys and certificates of one file, in whatever form they are: `.p12`, PEM or DER, encrypted or not.
public struct FileContents: Sendable {
    public enum Format: Sendable {
        /// RFC 7292.
        case pkcs12
        /// RFC 7468.
        case pem
        case der
    }

    /// No file with a key is anywhere near this.
    public static let greatestSize = 1024 * 1024

    public let format: Format
    public internal(set) var keys: [PrivateKey] = []
    public internal(set) var certificates: [Certificate] = []

    init(format: Format) {
        self.format = format
    }

    /// - Parameter passphrase: for a `.p12` or an encrypted key; any text in UTF-8.
    /// - Throws: ``FileProblem``; also if there is neither a key nor a certificate in it.
    public init(_ bytes: [UInt8], passphrase: Secret?) throws(FileProblem) {
        try self.init(bytes, passphrase: passphrase, algorithms: .shared)
    }

    /// - Parameter derivationRounds: how much work the file may ask for, in rounds of a hash function.
    package init(
        _ bytes: [UInt8], passphrase: Secret?, algorithms: Algorithms, derivationRounds: Int = 10_000_000
    ) throws(FileProblem) {
        guard !bytes.isEmpty else { throw FileProblem("is empty") }
        guard bytes.count <= Self.greatestSize else {
            throw FileProblem("is larger than 1 MiB, which no file with a key is")
        }
        var reader = FileReader(Passphrase(passphrase), algorithms, DerivationBudget(iterations: derivationRounds))
        self = try reader.read(bytes)
    }
}
