import ArgumentParser
import Foundation

/// The bytes of a file, or of standard input for `-`.
package func readInput(_ path: String) throws -> [UInt8] {
    do {
        return Array(
            path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(filePath: path)))
    } catch {
        throw ValidationError("can't read \(path): \(error.localizedDescription)")
    }
}
