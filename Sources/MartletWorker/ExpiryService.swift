import Foundations
import Logging
import PushModel
import Routing
import ServiceLifecycle
import Store

/// A service that logs the notices of ``ExpiryDetector`` about expiring credentials.
struct ExpiryService: Service {
    private static let interval = Duration.seconds(60)

    let store: SnapshotStore
    /// The term that each output uses for an account, by the output's name.
    let accountNames: [String: String]
    let now: @Sendable () -> Timestamp
    let logger: Logger

    func run() async throws {
        let changes = store.changes()
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signal.yield()
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in changes { signal.yield() } }
                group.addTask {
                    while (try? await Task.sleep(for: Self.interval)) != nil { signal.yield() }
                }
                var detector = ExpiryDetector()
                for await _ in signals { log(detector.look(at: store.current.credentialSummaries, now: now())) }
            }
        }
    }

    private func log(_ notices: [ExpiryDetector.Notice]) {
        for notice in notices {
            let credential = notice.credential
            let metadata: Logger.Metadata = [
                "credential": "\(credential.id)", "label": "\(credential.label)",
                (accountNames[credential.output] ?? "account"): "\(credential.account)",
                "topics": "\(credential.topics.sorted().joined(separator: ","))",
                "not_after": "\(credential.notAfter?.rfc3339 ?? "-")", "days_left": "\(notice.daysLeft)",
            ]
            if notice.hasExpired {
                logger.error(.credentialExpired, "A credential has expired", metadata: metadata)
            } else {
                logger.warning(.credentialExpires, "A credential expires soon", metadata: metadata)
            }
        }
    }
}
