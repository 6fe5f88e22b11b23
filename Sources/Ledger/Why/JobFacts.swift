package import Store

/// The facts about a job, or about one of its recipients, from all places that may contain some. A fact is `nil` if it
/// could not be checked.
package struct JobFacts {
    package struct Ledger {
        /// The state of the ledger, or `nil` if the database has no ledger.
        package var begin: LedgerBegin?
        /// The rows of the requested recipient, newest first. If no recipient is requested, the rows of the job, which
        /// are read only if one of them reports the job as unusable.
        package var rows: [LedgerRow] = []
        /// The outcomes of the whole job, counted by kind, output and reason. They are read only if ``rows`` does not
        /// suffice.
        package var sums: [LedgerSum] = []

        package init(begin: LedgerBegin? = nil) {
            self.begin = begin
        }
    }

    package struct Dead {
        package let app: String?
        package let reason: String

        package init(app: String?, reason: String) {
            self.app = app
            self.reason = reason
        }
    }

    package struct Waiting {
        package let queue: String
        package let messages: Int

        package init(queue: String, messages: Int) {
            self.queue = queue
            self.messages = messages
        }
    }

    /// The result events that are published but not yet written to the ledger, as counted by the broker.
    package struct Backlog {
        package let queue: String
        package let events: Int
        /// Whether no ledger consumes the queue.
        package let isUnread: Bool

        package init(queue: String, events: Int, isUnread: Bool) {
            self.queue = queue
            self.events = events
            self.isUnread = isUnread
        }
    }

    /// A current fault that prevents or delays pushes of an app.
    package struct AppFault: Hashable {
        package let text: String
        /// The output that the fault affects, or `nil` if it affects all outputs.
        package let output: String?
        /// The advice, or `nil` if the app's routes give better advice.
        package let todo: String?

        package init(_ text: String, of output: String? = nil, todo: String? = nil) {
            self.text = text
            self.output = output
            self.todo = todo
        }
    }

    /// The state of the app of the job.
    package enum AppState {
        /// The app is not known, because no record of the job names it.
        case unnamed
        case unknown(String)
        case known(App, faults: [AppFault])
    }

    package var job: String
    /// Whether the explanation is about one recipient.
    package var asksOne: Bool
    package var ledger: Ledger?
    /// The dead-lettered job. The outer `nil` means that the queue could not be checked, and the inner `nil` that the
    /// job is not in it.
    package var dead: Dead??
    package var cancellation: Cancellation??
    package var app: AppState?
    /// The output of the job, or `nil` if no record of the job names it.
    package var output: String?
    /// The registrations of the requested token, or `nil` if no token is requested.
    package var tokens: [DeviceToken]?
    package var waiting: [Waiting]?
    /// The events that wait for the ledger, or `nil` if there is no such queue.
    package var backlog: Backlog?
    /// The workers' open problems of severity `trouble`, as their status pages list them.
    package var problems: [String]?
    /// The pause of the job's app, or `nil` if the app is not paused or the audit could not be read.
    package var pause: AppPause?
    /// The paused apps, or `nil` if the job's app is known.
    package var pausedApps: [String]?
    /// The credentials that providers refuse, with the reasons, or `nil` if the job's app is known.
    package var refusals: [String]?
    /// The number of jobs that workers have received and not settled. Workers report it every two seconds.
    package var inHand: Int?
    /// The checks that failed, with the reasons.
    package var blind: [String] = []

    package init(job: String, asksOne: Bool) {
        self.job = job
        self.asksOne = asksOne
    }
}

extension [JobFacts.AppFault] {
    private static var most: Int { 3 }

    var words: String { prefix(Self.most).map(\.text).joined(separator: "; ") }
}
