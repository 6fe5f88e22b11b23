import PushModel
import Routing

extension SnapshotCredential {
    /// Opens the secret of a row. The keyring may lack the row's master key, for example if the secret was resealed
    /// under a key that this machine does not have yet. The secret in `previous` then stays in use. If the row can't be
    /// read, all data of `previous` stays in use. Both apply only if the row belongs to the same key as `previous`.
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
