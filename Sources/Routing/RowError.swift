/// The reason why a row of an app or a credential can't be used. The message names the row and never contains a secret.
package struct RowError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whether a column of the row can't be read. If it is `false`, the secret can't be opened.
    package let isUnreadable: Bool
    package let message: String

    package init(isUnreadable: Bool = false, _ message: String) {
        self.isUnreadable = isUnreadable
        self.message = message
    }

    package var description: String { message }
}
