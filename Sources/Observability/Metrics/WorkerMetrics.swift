import Foundations
import HTTP2Pool
import MartletConfiguration
package import Metering
package import PushModel
import Store
package import Routing

/// The metrics that a worker shows in addition to the counters of its queues and event loops. Series whose labels are
/// known in advance are registered here, so that they exist before their first count.
package enum WorkerMetrics {
    /// The version of the compiler that built this program, rounded down to one of the versions below.
    #if compiler(>=6.4)
    package static let compiler = "6.4"
    #elseif compiler(>=6.3)
    package static let compiler = "6.3"
    #else
    package static let compiler = "6.2"
    #endif

    /// Registers the metrics.
    ///
    /// - Parameters:
    ///   - exchanges: the names of the exchanges that the worker publishes to.
    ///   - start: the time at which the worker started.
    package static func register(
        in registry: MetricRegistry, exchanges: [String], state: WorkerState, refusalRegistry: RefusalRegistry,
        quotas: QuotaShareTable,
        log: WorkerLog,
        outputs: [any OutputPlugin], start: Timestamp
    ) {
        for plugin in outputs where plugin.credentials != nil {
            PoolLabels.announce(plugin.name, in: registry)
        }
        for exchange in exchanges { _ = registry.cell(.messagesRefused, [exchange]) }
        registry.read("process") { page in
            page.add(.buildInfo, [Build.version, Build.commit, compiler], 1)
            page.add(.startTime, Int(start.milliseconds))
            ProcessStatistics.read()?.add(to: &page)
            for (level, count) in log.lines { page.add(.logMessages, ["\(level)"], count) }
            page.add(.logDropped, log.dropped)
        }
        registry.read("pipeline") { [state] page in state.counts.add(to: &page) }
        registry.read("fleet") { page in
            let fleet = quotas.view
            for (quota, workers) in fleet.quotas { page.add(.quotaWorkers, [quota], workers) }
        }
        registry.read("refusals") { page in
            page.add(refusalRegistry.refusals)
            page.add(refusalRegistry.badTokens)
        }
        registry.read("snapshot") { [state] page in
            page.add(.snapshotTime, state.lastLook)
            if let ahead = state.clockAhead { page.add(.clockAhead, ahead) }
        }
        let accountNames = outputs.accountNames
        registry.read("credentials") { [state] page in
            page.add(state.credentials, accountNames: accountNames)
        }
    }
}

extension MetricPage {
    package mutating func add(_ problems: [Problem]) {
        for problem in problems {
            let labels = [
                problem.kind.rawValue, problem.party.rawValue, problem.severity.rawValue, problem.subject,
            ]
            add(.problem, labels, 1)
        }
    }

    package mutating func add(_ refusals: [Refusal]) {
        for refusal in refusals {
            add(
                .refused,
                [refusal.credential, refusal.environment.rawValue, refusal.topic ?? "", refusal.reason], 1)
        }
    }

    package mutating func add(_ badTokens: [BadTokens]) {
        for bad in badTokens { add(.badTokens, [bad.app, bad.environment.rawValue, bad.reason], bad.count) }
    }

    /// Adds the expiry times of credentials to the page.
    ///
    /// - Parameter accountNames: the term that each output uses for an account, by the output's name.
    package mutating func add(_ credentials: [CredentialSummary], accountNames: [String: String]) {
        for credential in credentials {
            guard let notAfter = credential.notAfter else { continue }
            let account = accountNames[credential.output] ?? "account"
            let labels = [credential.id, credential.label, credential.account]
            add(.credentialExpiry.with(lastLabel: account), labels, Int(notAfter.milliseconds))
        }
    }
}
