package import Store
package import Routing

/// The information about a job, or about one of its recipients, from the database, the broker and the workers. A
/// property is `nil` if its source could not be read, and in the cases that its own comment gives.
package struct JobFacts {
    package struct Ledger {
        /// The beginning of the ledger, or `nil` if the database has no ledger.
        package var begin: LedgerBegin?
        /// The ledger rows of the requested recipient and the rejections of the job, newest first. If no recipient is
        /// requested, only the rejections of the job.
        package var rows: [LedgerRow] = []
        /// The outcomes of the whole job, counted by kind, output, app, environment and reason. They are not read if a
        /// recipient is requested and ``rows`` is not empty.
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

    /// The result events that wait in the ledger's queue. Events that the ledger has received but not written are not
    /// counted.
    package struct Backlog {
        package let queue: String
        package let events: Int
        /// Whether the queue has no consumer.
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
        /// The name of the output that the fault affects, or `nil` if it affects all outputs.
        package let output: String?
        /// The advice for the operator, or `nil` to refer to `martlet app show`.
        package let todo: String?

        package init(_ text: String, of output: String? = nil, todo: String? = nil) {
            self.text = text
            self.output = output
            self.todo = todo
        }
    }

    /// The state of the job's app at present.
    package enum AppState {
        /// The name of the app could not be determined, because no record of the job contains it.
        case unnamed
        case unknown(String)
        case known(App, faults: [AppFault])
    }

    package var job: String
    /// Whether the information is about one recipient and not about the whole job.
    package var asksOne: Bool
    package var ledger: Ledger?
    /// The dead-lettered job. The outer `nil` means that the queue could not be checked, and the inner `nil` that the
    /// job is not in it.
    package var dead: Dead??
    package var cancellation: Cancellation??
    package var app: AppState?
    /// The name of the job's output, or `nil` if no record of the job contains it.
    package var output: String?
    /// The registry's records of the requested token, or `nil` if no token is requested.
    package var tokens: [DeviceToken]?
    package var waiting: [Waiting]?
    /// The events that wait in the ledger's queue, or `nil` if this queue does not exist.
    package var backlog: Backlog?
    /// The open problems of severity `trouble` that workers report, as their status pages describe them.
    package var problems: [String]?
    /// The pause of the job's app, or `nil` if the app is not paused or the audit could not be read.
    package var pause: AppPause?
    /// The bundle ids of all paused apps, or `nil` if the name of the job's app is known or the apps could not be read.
    package var pausedApps: [String]?
    /// The credentials that providers refuse, with the reasons, or `nil` if the name of the job's app is known or the
    /// refusals could not be read.
    package var refusals: [String]?
    /// The number of jobs that workers have received and not settled. Workers report their numbers every two seconds.
    package var inHand: Int?
    /// The checks that failed, each with its error.
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
