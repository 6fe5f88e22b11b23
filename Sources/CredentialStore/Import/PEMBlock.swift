/// One `-----BEGIN x-----` … `-----END x-----` of a file (RFC 7468); text around it, as openssl writes, is skipped.
struct PEMBlock {
    let label: String
    let text: String

    static func blocks(in text: String) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var lines: [Substring] = []
        var label: String?
        // the empty line between the headers and the body of an encrypted key matters
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if label == nil {
                guard line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") else { continue }
                label = String(line.dropFirst(11).dropLast(5))
            }
            lines.append(line)
            if let begun = label, line == "-----END \(begun)-----" {
                blocks.append(PEMBlock(label: begun, text: lines.joined(separator: "\n") + "\n"))
                (lines, label) = ([], nil)
            }
        }
        return blocks
    }

    var isCertificate: Bool { label == "CERTIFICATE" }
    var isPrivateKey: Bool { label.hasSuffix("PRIVATE KEY") }
    var isEncrypted: Bool { label.hasPrefix("ENCRYPTED") || text.contains("Proc-Type: 4,ENCRYPTED") }
}
