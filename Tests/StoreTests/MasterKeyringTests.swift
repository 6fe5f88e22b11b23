import Dispatch
import Foundation
import Foundations
import PushModel
import Store
import Testing

@Suite struct MasterKeyringTests {
    private let key = String(repeating: "A", count: 43) + "="
    private let otherKey = String(repeating: "B", count: 42) + "A="

    @Test func sealsWithFirstKeyAndOpensWithAll() throws {
        let keyring = try MasterKeyring(
            text: "# changed in November\n\n  2026-11  \(key) \r\n2025-01\t\(otherKey)\n", source: "keyring")
        #expect(keyring.currentKeyID == "2026-11")
        #expect(keyring.keyIDs == ["2026-11", "2025-01"])
    }

    @Test(arguments: [
        ("", "keyring keys: has no key"),
        ("# nothing\n", "keyring keys: has no key"),
        ("a\n", "keyring keys, line 1: expected <key id> <base64 of 32 bytes>"),
        ("\na b c\n", "keyring keys, line 2: expected <key id> <base64 of 32 bytes>"),
        ("a c2hvcnQ=\n", "keyring keys, line 1: the key of a is not 32 bytes in base64"),
        ("a !!!\n", "keyring keys, line 1: the key of a is not 32 bytes in base64"),
    ])
    func namesLineOfMalformedFile(text: String, message: String) {
        #expect(throws: StoreError(.keyring, message)) { try MasterKeyring(text: text, source: "keys") }
    }

    @Test func requiresPlainAndUniqueKeyIDs() {
        #expect(throws: StoreError(.keyring, "keyring keys, line 2: key id a is given twice")) {
            try MasterKeyring(text: "a \(key)\na \(otherKey)", source: "keys")
        }
        #expect(throws: StoreError.self) { try MasterKeyring(text: "a/b \(key)", source: "keys") }
    }

    @Test func hidesKeysInErrors() throws {
        let error = try #require(throws: StoreError.self) {
            try MasterKeyring(text: "a \(key)\nb \(key) more", source: "keys")
        }
        #expect(!error.message.contains("AAAA"))
    }

    @Test(arguments: [(0o600, true), (0o640, true), (0o400, true), (0o644, false), (0o660, false), (0o601, false)])
    func rejectsFilesReadableOrWritableByOthers(mode: Int, isFine: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keyring-\(UUID().uuidString)").path
        try Data("a \(key)\n".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        if isFine {
            #expect(try MasterKeyring(file: path).currentKeyID == "a")
        } else {
            let error = try #require(throws: StoreError.self) { try MasterKeyring(file: path) }
            #expect(error.message.contains(path) && error.message.contains("chmod"), "\(error)")
        }
    }

    /// Reproduces a race in which the permissions of one file were checked, and then another file was read that had
    /// replaced it.
    @Test func readsNoFileWithWidePermissionsThatReplacesKeyring() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keyring-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/keyring"
        for (name, line, mode) in [("narrow", "a \(key)\n", 0o600), ("wide", "b \(otherKey)\n", 0o644)] {
            _ = FileManager.default.createFile(
                atPath: "\(folder)/\(name)", contents: Data(line.utf8), attributes: [.posixPermissions: mode])
        }
        symlink("narrow", path)
        let ids = Mutex<Set<String>>([])
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            if index == 0 {
                for count in 0..<10_000 {
                    let target = count % 2 == 0 ? "wide" : "narrow"
                    symlink(target, path + ".new")
                    rename(path + ".new", path)
                }
            } else {
                for _ in 0..<5_000 {
                    guard let keyring = try? MasterKeyring(file: path) else { continue }
                    _ = ids.withLock { $0.insert(keyring.currentKeyID) }
                }
            }
        }
        let read = ids.withLock { $0 }
        #expect(read.isSubset(of: ["a"]), "the file with the key b is readable by others")
    }

    @Test func rereadsChangedFile() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keyring-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) {
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        }
        write("a \(key)\n")
        let keyring = try MasterKeyring(file: path)
        #expect(try keyring.refresh() == false, "the file is unchanged")
        write("# another text\na \(key)\n")
        #expect(try keyring.refresh() == false, "the keys are the same")
        write("b \(otherKey)\na \(key)\n")
        #expect(try keyring.refresh())
        #expect(keyring.currentKeyID == "b" && keyring.keyIDs == ["a", "b"])

        write("nonsense\n")
        let error = StoreError(.keyring, "keyring \(path), line 1: expected <key id> <base64 of 32 bytes>")
        for _ in 1...2 { #expect(throws: error) { try keyring.refresh() } }
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: StoreError.self) { try keyring.refresh() }
        #expect(keyring.keyIDs == ["a", "b"], "the last valid keys must remain")
        write("b \(otherKey)\n")
        #expect(try keyring.refresh())
        #expect(keyring.keyIDs == ["b"])
    }

    @Test func rereadsFileForMissingKey() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keyring-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) {
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        }
        write("a \(key)\n")
        let keyring = try MasterKeyring(file: path)
        let row = SealedRow(table: "t", id: "1", kind: "k")
        let sealed = try MasterKeyring(text: "b \(otherKey)", source: "elsewhere").seal(Secret([1, 2]), for: row)
        #expect(throws: StoreError.self) { try keyring.open(sealed, for: row) }
        write("a \(key)\nb \(otherKey)\n")
        #expect(try keyring.open(sealed, for: row) == Secret([1, 2]))
        #expect(keyring.currentKeyID == "a")
    }

    @Test func namesMissingFile() {
        #expect(throws: StoreError(.keyring, "keyring /nowhere/keys: No such file or directory")) {
            try MasterKeyring(file: "/nowhere/keys")
        }
    }
}
