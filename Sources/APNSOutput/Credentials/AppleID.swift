import PushModel

/// Apple's ids of teams and keys: ten upper-case letters and digits, in the token that Apple checks.
enum AppleID {
    static func isOne(_ id: String) -> Bool {
        id.utf8.count == 10 && id.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
    }

    static let problem = "is not ten upper-case letters and digits"

    /// - Parameter file: names the file in the error.
    static func check(_ id: String, _ field: String, of file: CredentialFile) throws(CredentialFault) -> String {
        guard isOne(id) else {
            throw file.fault("\(field) \(id) \(problem)")
        }
        return id
    }
}
