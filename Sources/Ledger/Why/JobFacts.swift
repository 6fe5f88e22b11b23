package import Store

/// What was found about a job, or about one recipient of it, wherever something may be known. What could not be looked at
/// is nil.
package struct JobFacts {
    package struct Ledger {
        /// nil: nobody keeps one.
        package var begin: LedgerBegin?
        /// Of the recipient that is asked for, the newest first; of a job without one, what says that it can't be used.
        package var rows: [LedgerRow] = []
        /// Of the whole job.
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

    /// What was told and is not written down yet, as far as the broker counts it.
    package struct Backlog {
        package let queue: String
        package let events: Int
        /// Nobody writes it down.
        package let isUnread: Bool

        package init(queue: String, events: Int, isUnread: Bool) {
            self.queue = queue
            self.events = events
            self.isUnread = isUnread
        }
    }

    /// What keeps an app's pushes now.
    package struct AppFault: Hashable {
        package let text: String
        /// With which they would be sent; nil: with any.
        package let output: String?
        /// nil: the app's routes tell more.
        package let todo: String?

        package init(_ text: String, of output: String? = nil, todo: String? = nil) {
            self.text = text
            self.output = output
            self.todo = todo
        }
    }

    /// What is known of the app that the job is for.
    package enum AppState {
        /// It is told nowhere which app that is.
        case unnamed
        case unknown(String)
        case known(App, faults: [AppFault])
    }

    package var job: String
    /// Whether one recipient is asked for.
    package var asksOne: Bool
    package var ledger: Ledger?
    /// The first nil: it could not be looked at; the second: it is not there.
    package var dead: Dead??
    package var cancellation: Cancellation??
    package var app: AppState?
    /// nil: it is told nowhere which one the job is for.
    package var output: String?
    /// nil: no token is asked for.
    package var tokens: [DeviceToken]?
    package var waiting: [Waiting]?
    /// nil: there is no such queue.
    package var backlog: Backlog?
    /// The workers' open problems of severity `trouble`, as their status pages list them.
    package var problems: [String]?
    /// The pause of the job's app, or `nil` if the app is not paused or the audit could not be read.
    package var pause: AppPause?
    /// The paused apps, or `nil` if the job's app is known.
    package var pausedApps: [String]?
    /// The credentials that providers refuse, with the reasons, or `nil` if the job's app is known.
    package var refusals: [String]?
    /// Jobs that workers have received and not settled, as they say every two seconds.
    package var inHand: Int?
    /// What could not be looked at, and why.
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
