import Store
package import Routing

/// A fault or an operator's action that occurs while pushes are in progress.
package enum Fault: Hashable, Sendable {
    package enum Link: String, Sendable, CaseIterable {
        case broker, database, apns, fcm

        /// The output whose service is at the other end of the link, or `nil` for the broker and the database.
        var output: OutputKind? { OutputKind(rawValue: rawValue) }
    }

    package enum Servers: String, Sendable, CaseIterable { case rabbitmq, postgres, both }

    /// Temporary settings of a worker.
    package struct Settings: Hashable, Sendable {
        package let chunkSize: Int
        package let maximumInFlight: Int
        package let appShare: Int
        package let logLevel: String
    }

    // The following faults concern a worker. Workers are numbered from 1.
    case killWorker(Int)
    /// The worker gets SIGTERM and is started again after it has ended.
    case restartWorker(Int)
    /// The worker gets a second SIGTERM while it drains.
    case hurryWorker(Int)
    /// The worker gets SIGSTOP for longer than the broker waits for a heartbeat.
    case freezeWorker(Int)
    /// A job with thousands of recipients is published while the links to the broker are slow. At its first push,
    /// worker 1 loses its connection to the broker, and all other workers are killed. Such jobs are numbered from 0.
    case killWhileSplitting(Int)
    /// Many jobs are published at once, and an additional worker starts while the other workers are busy with them. It
    /// stops later.
    case joinLate

    case stopServers(Servers)
    /// RabbitMQ gets SIGKILL, and PostgreSQL an immediate shutdown.
    case killServers(Servers)
    /// The table of device tokens is locked, so workers must wait before they can mark a token.
    case lockTokens
    /// The tables of device tokens and claims are locked for longer than the broker waits for acknowledgements. No job
    /// can be claimed during this time.
    case lockTables
    /// The primary database server is stopped or killed, and its standby takes its place.
    case failOver(isPlanned: Bool)
    /// The queue of another consumer is full and rejects every result event.
    case fullQueue

    // The following faults concern one node of a broker cluster. Nodes are numbered from 1.
    case stopNode(Int)
    case killNode(Int)

    // The following faults concern the link between a worker and one of its peers.
    case cut(Link, worker: Int)
    /// The link stops passing data without closing. At the end of the fault, it is cut.
    case blackHole(Link, worker: Int)
    case slow(Link, worker: Int, milliseconds: Int)

    // The following faults concern APNs.
    case goAway(announced: Bool)
    case cutPushes
    case refuseStreams(Int)
    /// A number of requests are refused temporarily.
    case refuseNext(Int, status: Int)
    case unavailable
    case slowAnswers(milliseconds: Int)
    /// APNs reads requests but does not answer them. If `all` is set, it does not even read them.
    case silence(all: Bool)
    case apnsDown
    case streamLimit(Int)

    /// A fault of an output's service.
    case service(OutputKind, ServiceFault)

    /// The settings of a worker change, and the worker gets SIGHUP. At the end, the settings are restored, and the
    /// worker gets SIGHUP again.
    case reconfigureWorker(Int, Settings)

    /// A new credential of an app is imported, and the old one is retired. Apps are numbered from 0.
    case rotateCredential(app: Int)
    /// The rate limit of an app changes, or is removed if it is `nil`. Apps are numbered from 0.
    case setPace(app: Int, AppRateLimit?)
    /// A campaign for a rate-limited app is published at once. Campaigns are numbered from 0.
    case campaign(Int)
}

extension Fault {
    /// The name of the fault in the report.
    package var name: String {
        switch self {
        case .killWorker: "kill -9 of a worker"
        case .restartWorker: "SIGTERM and restart of a worker"
        case .hurryWorker: "SIGTERM twice and restart of a worker"
        case .freezeWorker: "frozen worker"
        case .killWhileSplitting: "kill -9 while a job is split"
        case .joinLate: "worker that joins late"
        case .stopServers(let servers): "stop and start of \(servers.rawValue)"
        case .killServers(let servers): "kill of \(servers.rawValue)"
        case .lockTokens: "lock on the device tokens"
        case .lockTables: "lock on device tokens and claims for two minutes"
        case .failOver(let isPlanned): "failover to the other postgres, " + (isPlanned ? "planned" : "after a crash")
        case .fullQueue: "full queue of results"
        case .stopNode: "stop and start of a broker node"
        case .killNode: "kill -9 of a broker node"
        case .cut(let link, _): "cut connections to \(link.rawValue)"
        case .blackHole(let link, _): "black hole to \(link.rawValue)"
        case .slow(let link, _, _): "slow connections to \(link.rawValue)"
        case .goAway: "GOAWAY"
        case .cutPushes: "APNs cuts all connections"
        case .refuseStreams: "REFUSED_STREAM"
        case .refuseNext: "some requests refused for now"
        case .unavailable: "503 for everything"
        case .slowAnswers: "slow answers"
        case .silence: "silence of APNs"
        case .apnsDown: "APNs down"
        case .streamLimit: "change of the stream limit"
        case .service(let output, let fault): "\(output.rawValue): \(fault.name)"
        case .reconfigureWorker: "SIGHUP with another configuration"
        case .rotateCredential: "credential rotation"
        case .setPace(_, let pace): pace == nil ? "an app's rate removed" : "another rate for an app"
        case .campaign: "campaign of a paced app"
        }
    }

    /// Returns the numbers of the workers whose open jobs may be redelivered because of the fault.
    ///
    /// - Parameter workers: the number of workers without the one that joins late.
    package func workersLosingJobs(of workers: Int) -> Set<Int> {
        switch self {
        case .killWorker(let worker), .restartWorker(let worker), .hurryWorker(let worker), .freezeWorker(let worker),
            .cut(.broker, let worker), .blackHole(.broker, let worker), .slow(.broker, let worker, _):
            [worker]
        // The late worker drains when it is stopped, but may not finish in time.
        case .joinLate: [workers + 1]
        case .killWhileSplitting: Set(1...workers + 1)
        default: affectsBroker ? Set(1...workers + 1) : []
        }
    }

    /// Whether a worker loses its jobs only at the moment at which the fault strikes, and not until the fault ends.
    var losesJobsAtOnce: Bool {
        switch self {
        case .killWorker, .cut, .killWhileSplitting: true
        default: false
        }
    }

    /// The only output whose pushes the fault affects, or `nil` if it is not limited to one output.
    package var output: OutputKind? {
        switch self {
        case .cut(let link, _), .blackHole(let link, _), .slow(let link, _, _): link.output
        case .goAway, .cutPushes, .refuseStreams, .refuseNext, .unavailable, .slowAnswers, .silence, .apnsDown,
            .streamLimit, .joinLate:
            .apns
        case .service(let output, _): output
        default: nil
        }
    }

    /// Whether workers may lose track of pushes on the wire because of the fault. These pushes are sent again.
    package var blindsPushes: Bool {
        switch self {
        case .cut(let link, _), .blackHole(let link, _), .slow(let link, _, _): link.output != nil
        case .goAway, .cutPushes, .silence, .apnsDown, .slowAnswers, .joinLate: true
        case .service(_, let fault): fault.blindsPushes
        default: false
        }
    }

    /// Whether the fault may hold back requests. A request that a worker sent before a deadline or cancellation may
    /// then reach its service, or be read, only after the fault.
    package var holdsUpRequests: Bool {
        switch self {
        case .freezeWorker, .silence: true
        case .blackHole(let link, _), .slow(let link, _, _): link.output != nil
        case .service(_, let fault): fault.holdsUpRequests
        default: false
        }
    }

    /// Returns whether a worker may lose its connection to the broker because of the fault.
    package func disconnects(worker: Int) -> Bool {
        switch self {
        case .freezeWorker(worker), .cut(.broker, worker), .blackHole(.broker, worker), .slow(.broker, worker, _): true
        case .killWhileSplitting: true
        default: affectsBroker
        }
    }

    package var affectsBroker: Bool {
        switch self {
        case .stopServers(.rabbitmq), .stopServers(.both), .killServers(.rabbitmq), .killServers(.both), .stopNode,
            .killNode:
            true
        default: false
        }
    }

    /// Whether the fault ends a node of a cluster. Other nodes then become the leaders of its queues.
    package var affectsNode: Bool {
        switch self {
        case .stopNode, .killNode: true
        default: false
        }
    }

    /// Whether the fault interrupts the database or locks one of its tables. The value is `false` for ``lockTables``,
    /// because that fault is an ``Interlude`` with which these faults must not coincide.
    package var affectsDatabase: Bool {
        switch self {
        case .stopServers(.postgres), .stopServers(.both), .killServers(.postgres), .killServers(.both), .lockTokens,
            .failOver:
            true
        default: false
        }
    }

    /// Whether a worker may learn of changes in the database late because of the fault.
    package var keepsNewsFromWorkers: Bool {
        switch self {
        case .freezeWorker, .cut(.database, _), .blackHole(.database, _), .slow(.database, _, _),
            .stopServers(.postgres),
            .stopServers(.both), .killServers(.postgres), .killServers(.both), .failOver:
            true
        default: false
        }
    }
}
