import Foundation

/// A block from `-----BEGIN x-----` to `-----END x-----` in a file (RFC 7468). Text around blocks, such as the
/// descriptions that `openssl` writes, is skipped.
struct PEMBlock {
    let label: String
    /// The lines of the block. Headers (RFC 1421) with an empty line after them may precede the base64 lines.
    private let lines: [Substring]

    static func blocks(in text: String) throws(FileProblem) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var begun: (label: String, lines: [Substring])?
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = line.trimmingWhitespace()
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----"), line.count > 16 {
                if let begun { throw unfinished(begun.label) }
                begun = (String(line.dropFirst(11).dropLast(5)), [])
            } else if let whole = begun, line == "-----END \(whole.label)-----" {
                blocks.append(PEMBlock(label: whole.label, lines: whole.lines))
                begun = nil
            } else {
                begun?.lines.append(line)
            }
        }
        if let begun { throw unfinished(begun.label) }
        return blocks
    }

    private static func unfinished(_ label: String) -> FileProblem {
        FileProblem("is cut off: the line -----END \(label)----- is missing")
    }

    var isCertificate: Bool { ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].contains(label) }
    var isPrivateKey: Bool { label.hasSuffix("PRIVATE KEY") }
    /// Whether the headers state an encryption. For PKCS#8, the label states it instead.
    var isEncrypted: Bool { lines.contains { $0.hasPrefix("Proc-Type:") && $0.contains("ENCRYPTED") } }

    /// The decoded bytes, or `nil` if the lines are not base64.
    var der: [UInt8]? {
        Data(base64Encoded: lines.joined()).map(Array.init)
    }

    /// The block in the form that OpenSSL reads.
    var text: String {
        (["-----BEGIN \(label)-----"] + lines.map(String.init) + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}

extension Substring {
    fileprivate func trimmingWhitespace() -> Substring {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
