package import PushModel
package import Store

/// Why nothing at all can be sent for an app with one output: it has no account there, or no credential of that account
/// serves it, whatever the push.
package struct AppLack: Sendable, Hashable {
    package let app: String
    package let output: String
    /// nil: it has none.
    package let account: String?
    /// For people.
    package let text: String
    /// The account has no credential at all.
    package let isBare: Bool

    /// - Parameter named: an output that is meant also where the app has no account with it.
    package static func all(
        of app: App, with outputs: [any OutputPlugin], named: String? = nil, in snapshot: Snapshot, at now: Timestamp
    ) -> [AppLack] {
        guard !app.isPaused else { return [] }
        return outputs.compactMap { AppLack(app, $0, isNamed: $0.name == named, snapshot, now) }
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
