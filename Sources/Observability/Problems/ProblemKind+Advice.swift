extension ProblemKind {
    /// Returns the advice for a problem of this kind that the given party can end.
    package func advice(for party: Problem.Party) -> String {
        party == .receiver ? adviceForReceivers : advice
    }

    private var adviceForReceivers: String {
        switch self {
        case .providerUnreachable:
            "Look at the receiver's address, certificate and firewall, and at the output's settings for private hosts, "
                + "authority file and proxy. Pushes wait until a connection is open."
        case .credentialRefused:
            "Look up the reason in errors.md, and ask the owner of the receiver for the cause. The credential's pushes "
                + "wait."
        case .tokensMostlyBad, .pushesRejected:
            "The receiver rejects these recipients for a reason of its own. Ask the owner of the receiver."
        default: "Ask the owner of the receiver. Nothing is lost: Martlet retries these pushes."
        }
    }

    /// The next steps for an operator, as text. Commands and settings are in backquotes.
    private var advice: String {
        switch self {
        case .databaseAwaited: "Check PostgreSQL and the network path to it. The worker retries automatically."
        case .databaseAway:
            "Check the server, the network path to it, and the last warnings below. Pushes continue with the "
                + "credentials that the worker has read. Dead tokens, and jobs that need a claim, wait."
        case .databaseReadOnly:
            "Point `database.url` at the primary server, or turn off `default_transaction_read_only`. Dead tokens, and "
                + "jobs that need a claim, wait."
        case .appsUnread:
            "Check these tables for a lock and for revoked rights. `martlet doctor` names missing rights. Until then "
                + "this worker does not see changes to apps and credentials."
        case .marksFail, .marksDelayed:
            "Check `martlet.device_tokens` for a lock and for revoked rights. The runbook has a query that shows "
                + "which session holds a lock. Pushes are sent as usual; only the outcomes of dead tokens are late."
        case .claimsFail, .claimsUnanswered:
            "Check `martlet.claims` for a lock. Jobs that need a claim wait and are retried automatically."
        case .cancellationsUnread: "Check the database. New cancellations have no effect until then."
        case .deadTokensUnread, .lookUpsFail: "Check the database. Pushes to dead tokens are sent until then."
        case .registrationsFail: "Check the database. The next job with these tokens registers them."
        case .refusalsUnrecorded:
            "Check the database. Other workers and `martlet doctor` do not see this worker's refusals until then."
        case .databaseUncleared: "Check the database. The worker retries after an hour."
        case .brokerSendsNothing:
            "Check RabbitMQ, the user's permissions, and RabbitMQ's answer in the last warnings below."
        case .brokerTakesNothing:
            "See RabbitMQ's answer in the last warnings below, and look for an alarm of memory or disk "
                + "(`rabbitmq-diagnostics alarms`). Jobs stay with the worker until then."
        case .brokerConfirmsNothing:
            "Check RabbitMQ's disks, and check for quorum queues without a majority. Jobs stay open until it confirms."
        case .brokerRefuses:
            "If the text has RabbitMQ's answer (403, 404), correct the user's permissions or the missing exchange. "
                + "Otherwise look for a length limit on Martlet's own queues, such as a policy with max-length."
        case .clockWrong:
            "Synchronise the clocks of this machine and the database server by NTP. Providers refuse tokens with a "
                + "wrong time."
        case .keyringUnread:
            "Correct the file that `keyring.file` names before this worker stops. Until then the worker uses the keys "
                + "that it has read."
        case .keyringOpensNothing:
            "Compare this worker's keyring file with that of a worker that opens the credentials, and replace it. The "
                + "status page of each worker shows the path (`keyring.file`). This worker reads the file again, and "
                + "consumes jobs as soon as one credential opens."
        case .credentialsUnopened: "Add the master key of these credentials to the worker's keyring."
        case .credentialsKept:
            "Add the master key of these credentials to the worker's keyring before the worker stops. Until then it "
                + "uses the credentials that it has opened before."
        case .rowsUnreadable:
            "Correct the named column. The last valid row stays in use until this worker stops. Without one, jobs wait."
        case .jobsHeld, .appUnroutable: "`martlet app show` shows what an app lacks."
        case .jobUnsettled:
            "See the last warnings below. The usual cause is a broker or database that does not confirm."
        case .workersForbidden:
            "Run `martlet migrate` as the schema's owner. `martlet doctor` names the missing right. Until then this "
                + "worker does not share quotas with others."
        case .workerGone:
            "Find out why these processes ended: a crash, a kill, or a stop while the database took no writes. The broker "
                + "redelivers their jobs to other workers. Start a worker in their place, or run "
                + "`martlet top --forget NAME`."
        case .workerCrashes:
            "Find out why the process ends: its last log lines, a memory limit, a probe, the node. The broker redelivers its "
                + "jobs."
        case .workerNotReady: "See the status pages of these workers."
        case .pushesHeld:
            "No action is needed. The delay grew while the cause lasted. The pushes are sent when they return, unless they "
                + "expire."
        case .credentialExpired: "Import a new credential if there is none yet, then retire the expired one."
        case .credentialExpires: "Renew the credential at the provider, then run `martlet credential import`."
        case .tracesFail: "Check the collector. Deliveries do not depend on it."
        case .providerUnreachable:
            "Check the address and the CA file in the configuration, and the proxy, firewall and DNS. "
                + "`martlet credential check --all` tries each credential. Pushes wait until then."
        case .providerSilent:
            "Check the provider's status page, and the proxy and firewall on the path. Pushes without an answer within "
                + "`request_timeout` are retried."
        case .providerFails: "Check the provider's status page. These pushes are retried."
        case .providerSlow: "Check the provider's status page, and the proxy and firewall on the path."
        case .credentialRefused:
            "Look up the reason in errors.md. Correct the credential at the provider, or import another one. Its pushes "
                + "wait until then."
        case .credentialUnusable:
            "Correct the credential or the setting that the error names, then run `martlet credential check`. The "
                + "credential's pushes wait."
        case .resultsUnrouted:
            "Bind the queue of a consumer to this exchange; consume.md lists the routing keys. If you consume no outcomes, "
                + "no action is needed."
        case .resultsFull:
            "Pushes are sent as usual; only their outcomes are late. `rabbitmqctl list_bindings` shows the queues of "
                + "this exchange. Find the one with a length limit and no consumer, and ask its owner to consume it."
        case .tokensMostlyBad:
            "Look up the reason in errors.md. The usual cause is the wrong environment or the wrong key."
        case .jobsRejected:
            "`martlet dead list` shows these jobs with reason and publisher. If the reason is an unregistered app, "
                + "`martlet audit --app APP` shows who removed it."
        case .pushesRetried: "See the last warnings below. These pushes are retried."
        case .pushesRejected:
            "Look up the reasons in errors.md. The outcomes and `martlet_reasons_total` contain them."
        case .unnamedFailure: "See the last warnings below."
        case .appPaused:
            "`martlet audit --app APP` shows who paused it. Ask them before you resume it with "
                + "`martlet app set APP --no-paused`. Its jobs wait until then."
        }
    }
}
