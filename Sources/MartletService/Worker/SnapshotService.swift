import DeliveryPipeline
import PushModel
import ServiceLifecycle
import Store

/// Follows the database, keeps the snapshot fresh, and tells the outputs which credentials are in use.
struct SnapshotService: Service {
    let store: SnapshotStore
    let following: ChangeListener
    let outputs: [RunningOutput]
    /// Where apps are counted.
    let apps: AppTallies

    func run() async throws {
        // Before the first look at the database, so that none is missed.
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
