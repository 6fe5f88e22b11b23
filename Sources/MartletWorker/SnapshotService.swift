import DeliveryPipeline
import PushModel
import Routing
import ServiceLifecycle
import Store

/// A service that follows changes in the database, keeps the snapshot up to date, and informs the outputs about the
/// credentials in use.
struct SnapshotService: Service {
    let store: SnapshotStore
    let following: ChangeListener
    let outputs: [RunningOutput]
    /// The counters of outcomes by app.
    let apps: AppTallies

    func run() async throws {
        // The subscription begins before the snapshot can be replaced, so that no change is missed.
        let changes = store.changes()
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await following.run() }
                group.addTask { await store.run(on: following) }
                group.addTask {
                    apps.know(store.current.appNames)
                    for await snapshot in changes {
                        apps.know(snapshot.appNames)
                        for running in outputs {
                            running.output.credentialsChanged(to: snapshot.credentialIDs(of: running.name))
                        }
                    }
                }
            }
        }
    }
}
