package import PushModel
import Store
package import Routing

/// The reason why no push of an app can be sent through one output. Either the app has no account with the output, or
/// no credential of the account serves any push.
package struct AppRoutingFault: Sendable, Hashable {
    package let app: String
    package let output: String
    /// The app's account, or `nil` if it has none.
    package let account: String?
    /// A description of the reason for operators.
    package let text: String
    /// Whether the account has no credential at all.
    package let isBare: Bool

    /// Returns the reasons for all outputs through which no push of the app can be sent. The result is empty for a
    /// paused app.
    ///
    /// - Parameter named: the name of an output to report even if the app has no account with it, or `nil` to report
    ///   only outputs with which the app has an account.
    package static func all(
        of app: App, with outputs: [any OutputPlugin], named: String? = nil, in snapshot: Snapshot, at now: Timestamp
    ) -> [AppRoutingFault] {
        guard !app.isPaused else { return [] }
        return outputs.compactMap { AppRoutingFault(app, $0, isNamed: $0.name == named, snapshot, now) }
    }

    private init?(_ app: App, _ output: any OutputPlugin, isNamed: Bool, _ snapshot: Snapshot, _ now: Timestamp) {
        guard let credentials = output.credentials else { return nil }
        (self.app, self.output, account) = (app.bundleID, output.name, app.accounts[output.name]?.id)
        let word = credentials.accountName
        guard let account else {
            guard isNamed else { return nil }
            (text, isBare) = ("app \(app.bundleID) has no \(word) for \(output.name)", false)
            return
        }
        var problems: [String] = []
        for use in credentials.uses(of: app.bundleID) {
            let route = snapshot.route(
                app: app.bundleID, with: OutputAccounts(name: output.name, accountName: word),
                environment: use.environment, need: use.need, at: now)
            guard case .failure(let failure) = route else { return nil }
            if !problems.contains("\(failure)") { problems.append("\(failure)") }
        }
        guard let first = problems.first else { return nil }
        isBare =
            app.accounts[output.name]?.credential == nil
            && !snapshot.credentialSummaries.contains { $0.isOf(account, with: output.name) }
        text =
            isBare
            ? "\(word) \(account) has no credential"
            : problems.count == 1 ? first : "\(first), and \(problems.count - 1) more like it"
    }
}
