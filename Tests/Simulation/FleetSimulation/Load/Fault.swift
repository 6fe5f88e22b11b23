package import PushModel

/// A fault in a history, with its kind, start and end.
package struct Fault: CustomStringConvertible {
    package enum Kind {
        case cutConsumer(worker: Int, connection: Int)
        case cutPublisher(worker: Int)
        case killWorker(worker: Int)
        case stopWorker(worker: Int)
        case loseProvider(worker: Int)
        case isolateWorker(worker: Int)
        /// A worker can't reach the provider, but the others can.
        case cutOffWorker(worker: Int)
        case silentProvider
        case unreachableProvider
        case overloadedProvider(share: Double)
        case slowProvider(milliseconds: Int64)
        case databaseAway
        case refusedCredential(String)
        case refusedApp(Int)
        case pausedApp(Int)
        case fullLane(Lane, Int)
        case burst(tenant: Int, jobs: Int, Lane)
    }

    let kind: Kind
    /// The start, in milliseconds since the start of the history.
    package let start: Int64
    /// The end, in milliseconds since the start of the history.
    package let end: Int64

    package init(_ kind: Kind, start: Int64, end: Int64) {
        (self.kind, self.start, self.end) = (kind, start, end)
    }

    /// Whether the provider may accept a push twice because of the fault.
    var mayRepeatPushes: Bool {
        switch kind {
        case .killWorker, .stopWorker, .loseProvider, .silentProvider, .unreachableProvider, .slowProvider,
            .cutPublisher, .cutConsumer, .isolateWorker, .cutOffWorker:
            true
        default: false
        }
    }

    /// Whether the fault may delay the pushes of a tenant.
    func delays(_ tenant: Tenant) -> Bool {
        switch kind {
        case .refusedCredential(let credential): credential == tenant.credential
        case .refusedApp(let app), .pausedApp(let app): app == tenant.number
        case .burst(let app, _, _): app == tenant.number
        default: true
        }
    }

    /// The time after the end of the fault during which pushes that become due may still be late, in milliseconds.
    var aftermath: Int64 {
        switch kind {
        case .cutConsumer, .cutPublisher, .stopWorker: 10_000
        case .killWorker, .loseProvider, .isolateWorker, .cutOffWorker, .databaseAway, .burst, .slowProvider: 60_000
        // Held pushes wait in delay queues for up to 900 s.
        case .silentProvider, .unreachableProvider, .overloadedProvider, .refusedCredential, .refusedApp, .pausedApp,
            .fullLane:
            1_000_000
        }
    }

    package var description: String { "\(Double(start) / 1_000) s to \(Double(end) / 1_000) s: \(kind)" }
}
