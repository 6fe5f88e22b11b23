extension ProblemKind {
    /// What to do about it. What is to be typed stands between backquotes.
    package var advice: String {
        switch self {
        case .databaseAwaited: "Look at PostgreSQL and at the network path to it. The worker tries again by itself."
        case .databaseAway:
            "Pushes go on with the credentials that the worker knows. Dead tokens, and jobs that must be sent once, wait. "
                + "Look at the server, the network path to it, and the last warnings below."
        case .databaseReadOnly:
            "Point `database.url` at the primary server, or end `default_transaction_read_only`. Dead tokens, and jobs "
                + "that must be sent once, wait."
        case .appsUnread:
            "Changes to apps and credentials do not reach this worker. Look for a lock on these tables, and for revoked "
                + "rights: `martlet doctor` names them."
        case .marksFail, .marksDelayed:
            "Outcomes of dead tokens wait in the broker. Look for a lock on `martlet.device_tokens`, and for revoked "
                + "rights."
        case .claimsFail, .claimsUnanswered:
            "Jobs that must be sent once wait, and come again by themselves. Look for a lock on `martlet.claims`."
        case .cancellationsUnread: "Jobs that are cancelled now are sent all the same. Look at the database."
        case .deadTokensUnread, .lookUpsFail: "Pushes are sent to dead tokens, too. Look at the database."
        case .registrationsFail: "The next job with these tokens registers them. Look at the database."
        case .refusalsUnrecorded: "Other workers and `martlet doctor` do not see this worker's refusals."
        case .databaseUncleared: "Old rows stay for another hour."
        case .brokerSendsNothing:
            "Look at RabbitMQ, at the user's permissions, and at RabbitMQ's answer in the last warnings below."
        case .brokerTakesNothing:
            "Look for an alarm of memory or disk (`rabbitmq-diagnostics alarms`). Jobs stay with the worker until then."
        case .brokerConfirmsNothing:
            "Look at RabbitMQ's disks, and for quorum queues without a majority. Jobs end once it confirms."
        case .brokerRefuses: "Look for a policy with reject-publish, or a length limit, on Martlet's own queues."
        case .clockWrong:
            "Set this machine's clock, or the database server's, by NTP. Providers refuse tokens of a wrong time."
        case .keyringUnread:
            "Make the file of `keyring.file` readable before this worker stops: until then it uses the keys it has."
        case .credentialsUnopened: "Give this worker the master key that they are sealed under."
        case .credentialsKept:
            "Give this worker the master key that they are sealed under before it stops. Until then it uses what it has "
                + "opened before."
        case .rowsUnreadable:
            "Correct that column. What was read before stays in use until this worker stops; otherwise jobs wait."
        case .jobsHeld, .appUnroutable: "`martlet app show` says what an app lacks."
        case .jobUnsettled: "The broker or the database often does not confirm: see the last warnings below."
        case .workersForbidden:
            "This worker counts as the only one. Run `martlet migrate` as the schema's owner; `martlet doctor` names the "
                + "missing right."
        case .workerGone:
            "Look at why these processes ended. The broker delivers their jobs to the others."
        case .workerNotReady: "Look at their own pages."
        case .credentialExpired: "Import a new one and retire the old one, unless that has been done."
        case .credentialExpires: "Renew it at the provider, then run `martlet credential import`."
        case .tracesFail: "Look at the collector. Delivery does not wait for it."
        case .providerUnreachable:
            "Look at the address and the authority file in the configuration, and at proxy, firewall and DNS. "
                + "`martlet credential check --all` tries each credential. Pushes wait until then."
        case .providerSilent:
            "See the provider's status page, and proxy and firewall on the path. What gets no answer within "
                + "`request_timeout` is tried again."
        case .providerFails: "See the provider's status page. Nothing is lost: these pushes are tried again."
        case .providerSlow: "See the provider's status page, and proxy and firewall on the path."
        case .credentialRefused:
            "Look up the reason in errors.md. Correct the credential at the provider, or import another one. Its pushes "
                + "wait."
        case .resultsFull:
            "Whoever owns that queue must consume it. Events are held and published again."
        case .tokensMostlyBad:
            "Look up the reason in errors.md. Often tokens are sent to the wrong environment or with the wrong key."
        case .jobsRejected: "`martlet dead list` shows them, with reason and publisher."
        case .pushesRetried: "See the last warnings below. Nothing is lost: these pushes are tried again."
        case .unnamedFailure: "See the last warnings below."
        case .appPaused: "Its jobs wait. `martlet app set APP --no-paused` ends it; `martlet audit` says who paused it."
        }
    }
}
