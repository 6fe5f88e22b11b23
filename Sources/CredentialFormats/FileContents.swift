public import PushModel

/// The keys and certificates of one file. The file may be a `.p12`, PEM or DER, encrypted or not.
public struct FileContents: Sendable {
    public enum Format: Sendable {
        /// A `.p12` file (RFC 7292).
        case pkcs12
        /// A PEM file (RFC 7468).
        case pem
        case der
    }

    /// The maximum size of a file, in bytes. Files with keys are much smaller.
    public static let greatestSize = 1024 * 1024

    public let format: Format
    public internal(set) var keys: [PrivateKey] = []
    public internal(set) var certificates: [Certificate] = []

    init(format: Format) {
        self.format = format
    }

    /// Reads the contents of a file.
    ///
    /// - Parameter passphrase: the passphrase of a `.p12` or an encrypted key in UTF-8, or `nil` if there is none.
    /// - Throws: ``FileProblem`` if the file is unreadable, or if it contains neither a key nor a certificate.
    public init(_ bytes: [UInt8], passphrase: Secret?) throws(FileProblem) {
        try self.init(bytes, passphrase: passphrase, algorithms: .shared)
    }

    /// Reads the contents of a file with the given algorithms.
    ///
    /// - Parameter derivationRounds: the maximum work to decrypt the file, in rounds of a hash function.
    package init(
        _ bytes: [UInt8], passphrase: Secret?, algorithms: Algorithms, derivationRounds: Int = 10_000_000
    ) throws(FileProblem) {
        guard !bytes.isEmpty else { throw FileProblem("is empty") }
        guard bytes.count <= Self.greatestSize else {
            throw FileProblem("is larger than 1 MiB, so it is not a key file")
        }
        var reader = FileReader(Passphrase(passphrase), algorithms, DerivationBudget(iterations: derivationRounds))
        self = try reader.read(bytes)
    }
}
