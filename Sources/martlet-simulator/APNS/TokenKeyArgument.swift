import APNSSimulator
import ArgumentParser
import Foundation

/// A provider token key as given on the command line, in the form `TEAM:KEYID:FILE`.
struct TokenKeyArgument: ExpressibleByArgument {
    let team: String
    let keyID: String
    let file: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3 else { return nil }
        (team, keyID, file) = (parts[0], parts[1], parts[2])
    }

    func load() throws -> TokenKey {
        let pem: String
        do {
            pem = try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw SimulatorError("--token-key: \(file) cannot be read")
        }
        return try TokenKey(team: team, keyID: keyID, pem: pem)
    }
}
