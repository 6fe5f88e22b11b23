import Foundations

/// The master keys under which secrets are sealed. The first key seals new secrets. The other keys only open the
/// secrets that were sealed under them.
///
/// To change the master key, add a new line at the top of the file. Keep the old lines until no secret is sealed under
/// their keys. A keyring that was created from a file can be updated from the file (``refresh()``).
package final class MasterKeyring: Sendable {
    private struct State {
        var keys: MasterKeys
        var version: KeyringFile.Version?
        var generation = 0
    }

    private let file: KeyringFile?
    private let state: Mutex<State>

    /// Reads a keyring file. Only its owner and its group may be able to read it, and only its owner may be able to
    /// write it.
    /// - Throws: ``StoreError`` with code `keyring`, which names the file and line.
    package init(file path: String) throws(StoreError) {
        let file = KeyringFile(path: path)
        let (keys, version) = try file.read()
        state = Mutex(State(keys: keys, version: version))
        self.file = file
    }

    /// Creates a keyring that never changes, from lines `<key id> <base64 of 32 bytes>`.
    /// - Parameter source: the name of the text in errors.
    /// - Throws: ``StoreError`` with code `keyring`, which names the line.
    package init(text: String, source: String) throws(StoreError) {
        state = Mutex(State(keys: try MasterKeys(text: Array(text.utf8), source: source)))
        file = nil
    }

    /// The id of the key with which new secrets are sealed.
    package var currentKeyID: String { keys.current.id }
    package var keyIDs: Set<String> { keys.ids }

    var keys: MasterKeys { state.withLock { $0.keys } }

    /// The number of times that the keys have changed.
    var generation: Int { state.withLock { $0.generation } }

    /// Reads the file again if it was changed.
    /// - Returns: whether the keys changed.
    /// - Throws: ``StoreError`` with code `keyring`. In that case the keys stay as they are.
    @discardableResult
    package func refresh() throws(StoreError) -> Bool {
        guard let file else { return false }
        let current = try file.version()
        if state.withLock({ $0.version == current }) { return false }
        let (keys, version) = try file.read()
        return state.withLock { state in
            state.version = version
            guard state.keys != keys else { return false }
            state.keys = keys
            state.generation += 1
            return true
        }
    }
}
