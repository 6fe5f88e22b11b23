internal import Crypto
import PushModel

/// The format of a package's manifest. The manifest lists the files with their hashes, and it is signed.
package enum Manifest: Sendable, Hashable {
    /// The format `"path": "hex"`, for passes and for version 1 of website packages.
    case sha1
    /// The format `"path": {"hashType": "sha512", "hashValue": "hex"}`, for version 2 of website packages.
    case sha512

    /// Returns the manifest of the files. The files are sorted by path.
    package func json(of files: [PackageFile]) -> [UInt8] {
        var json = Array("{".utf8)
        for (index, file) in files.sorted(by: { $0.path < $1.path }).enumerated() {
            json += (index == 0 ? "\n  " : ",\n  ").utf8
            JSONText.append(file.path, to: &json)
            json += ": \(value(of: file.bytes))".utf8
        }
        return json + "\n}\n".utf8
    }

    private func value(of bytes: [UInt8]) -> String {
        switch self {
        // why: Apple requires SHA-1 here, and the signature covers the manifest
        case .sha1: "\"\(Self.hex(Insecure.SHA1.hash(data: bytes)))\""
        case .sha512: "{\"hashType\": \"sha512\", \"hashValue\": \"\(Self.hex(SHA512.hash(data: bytes)))\"}"
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
