import Threading

/// The master keys that secrets are sealed under: the first seals, all open.
///
/// To change the master key, put a new line on top and keep the old ones until nothing is sealed under them. A
/// keyring that comes from a file follows it: see ``refresh()``.
public final class MasterKeyring: Sendable {
    private struct State {
        var keys: MasterKeys
        var version: KeyringFile.Version?
        var generation = 0
    }

    private let file: KeyringFile?
    private let state: Mutex<State>

    /// Reads a keyring file, which nobody but its owner and group may read, and only its owner write.
    /// - Throws: ``StoreError`` with code `keyring`, naming the file and line.
    public init(file path: String) throws(StoreError) {
        let file = KeyringFile(path: path)
        // first the version: a file that is replaced meanwhile is read once more later
        let version = try file.version()
        state = Mutex(State(keys: try file.read(), version: version))
        self.file = file
    }

    /// A keyring that stays as it is: lines `<key id> <base64 of 32 bytes>`.
    /// - Parameter source: what errors call the text.
    /// - Throws: ``StoreError`` with code `keyring`, naming the line.
    public init(text: String, source: String) throws(StoreError) {
        state = Mutex(State(keys: try MasterKeys(text: Array(text.utf8), source: source)))
        file = nil
    }

    /// The id of the key that seals.
    public var currentKeyID: String { keys.current.id }
    public var keyIDs: Set<String> { keys.ids }

    var keys: MasterKeys { state.withLock { $0.keys } }

    /// How many times the keys have become others.
    var generation: Int { state.withLock { $0.generation } }

    /// Reads the file again if it was changed.
    /// - Returns: whether the keys are others now.
    /// - Throws: ``StoreError`` with code `keyring`; the keys stay as they are then.
    @discardableResult
    public func refresh() throws(StoreError) -> Bool {
        guard let file else { return false }
        let version = try file.version()
        if state.withLock({ $0.version == version }) { return false }
        let keys = try file.read()
        return state.withLock { state in
            state.version = version
            guard state.keys != keys else { return false }
            state.keys = keys
            state.generation += 1
            return true
        }
    }
}
