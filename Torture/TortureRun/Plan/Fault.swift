package import Store

/// Something that goes wrong, or that an operator does, while pushes are under way.
package enum Fault: Hashable, Sendable {
    package enum Link: String, Sendable, CaseIterable {
        case broker, database, apns, fcm

        /// Whose service is there; nil: none is.
        var output: OutputKind? { OutputKind(rawValue: rawValue) }
    }

    package enum Servers: String, Sendable, CaseIterable { case rabbitmq, postgres, both }

    /// What of a worker's configuration changes.
    package struct Settings: Hashable, Sendable {
        package let chunkSize: Int
        package let maximumInFlight: Int
        package let appShare: Int
        package let logLevel: String
    }

    // Workers, by number from 1.
    case killWorker(Int)
    /// SIGTERM; it is started again when it has ended.
    case restartWorker(Int)
    /// The same, with a second SIGTERM while it drains.
    case hurryWorker(Int)
    /// SIGSTOP, for longer than the broker waits for a heartbeat.
    case freezeWorker(Int)
    /// A job of thousands is published while everything to the broker takes long, and all workers are killed with the
    /// first of its pushes; worker 1 loses its connection instead. Counted from 0.
    case killWhileSplitting(Int)
    /// A flood is published, and a worker of its own starts while the others are busy with it; later it leaves.
    case joinLate

    case stopServers(Servers)
    /// SIGKILL for RabbitMQ, an immediate shutdown for PostgreSQL.
    case killServers(Servers)
    /// Somebody alters the table of device tokens: whoever marks one waits.
    case lockTokens
    /// The same for longer than the broker waits for acknowledgements, and nobody can claim a job either.
    case lockTables
    /// The database's server ends, killed or stopped, and the one that follows it takes its place.
    case failOver(isPlanned: Bool)
    /// Another consumer's queue is full, and refuses every event.
    case fullQueue

    // One of several nodes of the broker, by number from 1.
    case stopNode(Int)
    case killNode(Int)

    // What lies between a worker and one of its peers.
    case cut(Link, worker: Int)
    /// Nothing passes, and nobody says so; cut at its end.
    case blackHole(Link, worker: Int)
    case slow(Link, worker: Int, milliseconds: Int)

    // Apple's bad days.
    case goAway(announced: Bool)
    case cutPushes
    case refuseStreams(Int)
    /// So many of the next requests are refused for now.
    case refuseNext(Int, status: Int)
    case unavailable
    case slowAnswers(milliseconds: Int)
    /// Requests are taken and not answered; `all`: not even read.
    case silence(all: Bool)
    case apnsDown
    case streamLimit(Int)

    /// Another service's.
    case service(OutputKind, ServiceFault)

    /// SIGHUP after these changes of the configuration, and again when they are taken back.
    case reconfigureWorker(Int, Settings)

    /// A new credential is imported and the old one retired; apps are numbered from 0.
    case rotateCredential(app: Int)
    /// An app may be sent to no faster from now on; nil: as fast as may be.
    case setPace(app: Int, AppPace?)
    /// More than a paced app gets done in a minute is published at once. Counted from 0.
    case campaign(Int)
}

extension Fault {
    /// What it is counted as.
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

    /// The workers whose open jobs it may bring back to the broker, to be delivered again.
    package func redeliversJobs(workers: Int) -> Int {
        switch self {
        case .killWorker, .restartWorker, .hurryWorker, .freezeWorker, .cut(.broker, _), .blackHole(.broker, _),
            .slow(.broker, _, _):
            1
        case .stopServers(.rabbitmq), .stopServers(.both), .killServers(.rabbitmq), .killServers(.both), .stopNode,
            .killNode, .killWhileSplitting:
            workers
        // It drains, and may not be done in time.
        case .joinLate: 1
        default: 0
        }
    }

    /// The output whose pushes alone it concerns; nil: all.
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

    /// The workers that may lose sight of what is on the wire to a service, so that it is sent again.
    package func blindsPushes(workers: Int) -> Int {
        switch self {
        case .cut(let link, _), .blackHole(let link, _), .slow(let link, _, _): link.output == nil ? 0 : 1
        case .goAway, .cutPushes, .silence, .apnsDown, .slowAnswers, .joinLate: workers
        case .service(_, let fault): fault.blindsPushes ? workers : 0
        default: 0
        }
    }

    /// What was sent in time may reach its service, or be read there, only when it is over.
    package var holdsUpRequests: Bool {
        switch self {
        case .freezeWorker, .silence: true
        case .blackHole(let link, _), .slow(let link, _, _): link.output != nil
        case .service(_, let fault): fault.holdsUpRequests
        default: false
        }
    }

    /// Whether it may cost this worker its connection to the broker.
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

    /// The database, or somebody's lock on it, goes.
    package var affectsDatabase: Bool {
        switch self {
        case .stopServers(.postgres), .stopServers(.both), .killServers(.postgres), .killServers(.both), .lockTokens,
            .failOver:
            true
        default: false
        }
    }

    /// A worker may hear later what is new in the database.
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
