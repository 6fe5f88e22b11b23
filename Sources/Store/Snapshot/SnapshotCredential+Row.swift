import PushModel
import Routing

extension SnapshotCredential {
    /// Opens a row. If its master key is missing, the previously opened secret stays in use, provided that the row
    /// still has the same key. A master key is missing if the row was resealed under a key that is not yet on this
    /// machine. If the row can't be read, all data of `previous` stays in use.
    convenience init(_ row: CredentialRow, keyring: MasterKeyring, previous: SnapshotCredential?) {
        do throws(StoreError) {
            self.init(summary: row.summary, opened: .success(try row.open(with: keyring)))
        } catch {
            if error.code == .missingMasterKey, let known = previous?.secret(of: row.summary) {
                self.init(
                    summary: row.summary, opened: .success(Credential(row.summary, kind: known)),
                    keptBecause: RowError(error))
            } else if error.code == .unreadable, let previous, previous.problem == nil, previous.isOf(row.summary) {
                self.init(summary: previous.summary, opened: previous.opened, keptBecause: RowError(error))
            } else {
                self.init(summary: row.summary, opened: .failure(RowError(error)))
            }
        }
    }
}
