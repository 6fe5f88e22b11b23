import ArgumentParser
import CommandSupport
import MartletConfiguration
import Observability
import PostgresClient
import PushModel
import Store
import Routing

/// A helper that stores a new credential in the database and prints its details.
struct CredentialSaver {
    let output: String
    let addressesAreBound: Bool
    let json: Bool

    init(_ output: OutputOption, json: Bool) throws {
        self.output = output.name
        self.json = json
        addressesAreBound = try output.credentials().addressesAreBound
    }

    /// Stores the credential and prints it.
    ///
    /// - Parameter verb: the action of the command, such as `imported`.
    func keep(_ new: NewCredential, as verb: String, _ options: ConfigurationOptions) async throws {
        let (id, isNew, older) = try await withDatabase(options, for: "credential") { source, pool in
            try check(new, source)
            let repository = CredentialRepository(pool)
            let (id, isNew) = try await add(new, to: repository, try source.keyring())
            // The credential is stored, so a failure to list the others must not look like a failure to store it.
            let all = (try? await repository.list()) ?? []
            return (id, isNew, all.filter { $0.id != id && $0.output == output && $0.isReplaced(by: new) })
        }
        if json { return try printJSON(described(new, id: id, replacing: older)) }
        print("\(isNew ? "\(verb) \(new.label) as" : "this key is already in use as") \(id): \(scope(of: new))")
        new.printFacts(now: .now)
        for credential in older { print(credential.replacedNotice) }
    }

    /// Throws an error if workers with this configuration can't use the credential.
    private func check(_ new: NewCredential, _ source: ConfigurationSource) throws {
        let credential = Credential(
            id: "new", output: output, kind: new.kind, account: new.account, environments: new.environments,
            topics: new.topics)
        if let problem = try source.problem(with: credential, of: output) {
            throw ValidationError("\(new.label) \(problem)")
        }
    }

    private func add(
        _ new: NewCredential, to repository: CredentialRepository, _ keyring: MasterKeyring
    ) async throws -> (id: Credential.ID, isNew: Bool) {
        guard addressesAreBound else {
            return (try await repository.importCredential(new, of: output, keyring: keyring), true)
        }
        return switch try await repository.importBoundCredential(new, of: output, keyring: keyring) {
        case .added(let id): (id, true)
        case .unchanged(let id): (id, false)
        }
    }

    /// Prints the credential that would be stored. Throws the same errors as ``keep(_:as:_:)`` for an unusable
    /// credential.
    func show(_ new: NewCredential, _ options: ConfigurationOptions) async throws {
        try check(new, try await options.load())
        if json { return try printJSON(described(new, id: nil, replacing: [])) }
        print("\(new.label): \(scope(of: new))")
        new.printFacts(now: .now)
        if new.account.isEmpty { print("to import it, pass \(AccountTerms.options(of: output))") }
        print("nothing was imported")
    }

    private func scope(of new: NewCredential) -> String {
        let word = AccountTerms.word(of: output)
        return "\(new.account.isEmpty ? "no \(word)" : "\(word) \(new.account)"), \(new.scope(accountName: word))"
    }

    private func described(
        _ new: NewCredential, id: String?, replacing older: [CredentialSummary]
    ) -> WithAccount<NewCredentialDescription> {
        WithAccount(
            base: NewCredentialDescription(new, id: id, replacing: older), output: output, account: new.account)
    }
}

/// A credential that was stored or would be stored, as `--json` shows it.
private struct NewCredentialDescription: Encodable, Sendable {
    /// The credential's id, or `nil` after a dry run.
    let id: String?
    let kind, label, fingerprint: String
    let key: String?
    let environments, topics: [String]
    /// The kinds of push that a certificate covers, by topic.
    let covers: [String: [String]]
    let notBefore, notAfter: String?
    let daysLeft: Int?
    /// The ids of the credentials that the new credential takes precedence over.
    let replaces: [String]
    /// The public values that operators need elsewhere, by name, such as the key for browsers.
    let shown: [String: String]?

    init(_ new: NewCredential, id: String?, replacing older: [CredentialSummary]) {
        self.id = id
        switch new.kind {
        case .token(let keyID, _): (kind, key) = (CredentialSummary.Kind.token.rawValue, keyID)
        case .certificate: (kind, key) = (CredentialSummary.Kind.certificate.rawValue, nil)
        case .secret: (kind, key) = (CredentialSummary.Kind.secret.rawValue, nil)
        }
        label = new.label
        fingerprint = new.fingerprint
        environments = new.environments.map(\.rawValue).sorted()
        topics = new.topics.sorted()
        covers = new.topicKinds
        notBefore = new.notBefore?.rfc3339
        notAfter = new.notAfter?.rfc3339
        daysLeft = new.notAfter.map { $0.days(from: .now) }
        replaces = older.map(\.id).sorted()
        shown = new.shown.isEmpty ? nil : Dictionary(new.shown.map { (Self.key(of: $0.name), $0.text) }) { $1 }
    }

    /// Returns the JSON key in snake case for a name such as `applicationServerKey` or `signing secret`.
    private static func key(of name: String) -> String {
        name.replacing(" ", with: "_").replacing(/[A-Z]/) { "_\($0.output.lowercased())" }
    }
}

extension NewCredential {
    fileprivate func scope(accountName: String) -> String {
        "\(environments.map(\.rawValue).sorted().joined(separator: ", ")), "
            + (topics.isEmpty ? "every topic of the \(accountName)" : topics.sorted().joined(separator: ", "))
    }

    fileprivate func printFacts(now: Timestamp) {
        if !topicKinds.isEmpty {
            let covered = topicKinds.sorted { $0.key < $1.key }.map { topic, kinds in
                kinds.isEmpty ? topic : "\(topic) (\(kinds.joined(separator: ", ")))"
            }
            print("covers \(covered.joined(separator: ", "))")
        }
        if let notBefore, notBefore > now { print("is not valid or used before \(notBefore.rfc3339)") }
        if let notAfter { print("expires \(notAfter.rfc3339), in \(Phrase.count(notAfter.days(from: now), "day"))") }
        for (name, text) in shown { print("\(name): \(text)") }
    }
}

extension CredentialSummary {
    /// Returns whether routing prefers the new credential to this credential for at least one topic in at least one
    /// environment. The newest credential of a kind takes precedence.
    fileprivate func isReplaced(by new: NewCredential) -> Bool {
        let isOfOneKind: Bool =
            switch (kind, new.kind) {
            case (.token, .token), (.certificate, .certificate), (.secret, .secret): true
            default: false
            }
        return isOfOneKind && state != .retired && account == new.account
            && !environments.isDisjoint(with: new.environments)
            && (topics.isEmpty ? new.topics.isEmpty : !topics.isDisjoint(with: new.topics))
    }

    fileprivate var replacedNotice: String {
        let expiry = notAfter.map { ", which expires \($0.rfc3339)," } ?? ""
        return """
            \(label)\(expiry) is still active for the same topics; the new one takes precedence. Once 'martlet credential \
            check' finds the new one good, retire the old one: martlet credential retire \(id)
            """
    }
}
