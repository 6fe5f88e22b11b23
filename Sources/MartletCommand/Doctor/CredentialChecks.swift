import MartletService
import PushModel
import Store

/// What `doctor` can see of credentials that open, and that their providers would refuse all the same.
struct CredentialChecks {
    let outputs: [any OutputPlugin]
    let snapshot: Snapshot

    /// - Throws: `DoctorWarning`.
    func run() throws -> String {
        let known = Dictionary(outputs.map { ($0.name, $0.credentials) }) { $1 }
        let problems = snapshot.credentialSummaries.compactMap { summary -> String? in
            guard case .success(let credential)? = snapshot.opened(summary.id),
                let problem = known[summary.output]??.problem(with: credential)
            else { return nil }
            return "\(summary.output) \(summary.account) (\(summary.id)) \(problem)"
        }
        guard problems.isEmpty else {
            throw DoctorWarning(
                Phrase.list(problems.sorted()), todo: "see 'martlet credential set', or import it anew")
        }
        let bound = snapshot.credentialSummaries.filter { known[$0.output]??.addressesAreBound ?? false }
        let several = Dictionary(grouping: bound) { "\($0.output) \($0.account)" }.filter { $0.value.count > 1 }
        guard several.isEmpty else {
            throw DoctorWarning(
                "more than one key in use: \(Phrase.list(several.keys.sorted())); addresses made with the older one fail",
                todo: "name each app's key with 'martlet app set --credential', or retire the one that no address needs")
        }
        return "no provider is known to refuse one"
    }
}
