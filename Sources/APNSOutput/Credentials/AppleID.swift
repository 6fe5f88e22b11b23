import PushModel

/// The format of Apple's team ids and key ids: ten upper-case letters and digits. Both ids are part of the provider
/// token that Apple verifies.
enum AppleID {
    static func isOne(_ id: String) -> Bool {
        id.utf8.count == 10 && id.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
    }

    static let problem = "is not ten upper-case letters and digits"

    /// Returns the id if it is well formed.
    ///
    /// - Parameter file: the file that the error names.
    static func check(_ id: String, _ field: String, of file: CredentialFile) throws(CredentialFault) -> String {
        guard isOne(id) else {
            throw file.fault("\(field) \(id) \(problem)")
        }
        return id
    }
}
