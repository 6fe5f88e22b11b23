import ArgumentParser
import Foundation

/// Returns the bytes of a file, or of standard input if the path is `-`. The file may be a pipe. More than 128 MiB is
/// an error.
package func readInput(_ path: String) throws -> [UInt8] {
    let limit = 128 << 20
    guard let bytes = try readInput(path, upTo: limit) else {
        throw ValidationError("cannot read \(path): has more than \(limit >> 20) MiB")
    }
    return bytes
}

/// Reads a file, or standard input if the path is `-`.
///
/// - Returns: the bytes, or `nil` if there are more than `limit`.
package func readInput(_ path: String, upTo limit: Int) throws -> [UInt8]? {
    func fault() -> ValidationError { ValidationError("cannot read \(path): \(String(cString: strerror(errno)))") }
    let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw fault() }
    defer { if path != "-" { close(file) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
        let count = read(file, &piece, min(piece.count, limit + 1 - bytes.count))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw fault() }
        if count == 0 { return bytes }
        bytes += piece[..<count]
    }
    return nil
}
