import Foundations

extension EventName {
    static let waitingForLock = EventName("migration.lock.waiting")
    static let migrationApplied = EventName("migration.applied")
    static let rolesMissing = EventName("migration.roles.missing")
    static let keyringUnreadable = EventName("keyring.read.failed")
    static let keyringRead = EventName("keyring.read")
    static let snapshotReadAgain = EventName("apps.read.resumed")
    static let snapshotUnreadable = EventName("apps.read.failed")
    static let snapshotRead = EventName("apps.read")
    static let appUnreadable = EventName("app.unreadable")
    static let credentialUnopened = EventName("credential.unopened")
    static let credentialKept = EventName("credential.kept")
    static let cancellationsReadAgain = EventName("cancellations.read.resumed")
    static let cancellationsUnreadable = EventName("cancellations.read.failed")
    static let cancellationsRead = EventName("cancellations.read")
    static let deadTokensReadAgain = EventName("dead_tokens.read.resumed")
    static let deadTokensUnreadable = EventName("dead_tokens.read.failed")
    static let deadTokensRead = EventName("dead_tokens.read")
    static let keyringReadAgain = EventName("keyring.read.resumed")
    static let markImpossible = EventName("dead_tokens.mark.impossible", repeats: true)
}
