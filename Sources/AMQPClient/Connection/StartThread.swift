internal import CRabbitMQ
import Glibc

/// Runs `body` on a new thread. Calls of rabbitmq-c block, so they must not run on Swift's cooperative thread pool.
///
/// - Parameter name: the name that `top -H` shows, truncated to 15 bytes.
/// - Throws: ``AMQPError/Code/connectionFailed`` if the system can't create another thread.
func startThread(name: String, _ body: @escaping @Sendable () -> Void) throws(AMQPError) {
    final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { pointer in
            guard let pointer else { return nil }
            let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
            crabbitmq_name_thread(start.name)
            start.body()
            return nil
        }, start.toOpaque())
    guard status == 0 else {
        start.release()
        throw AMQPError(.connectionFailed, "starting a thread: \(String(cString: strerror(status)))")
    }
    pthread_detach(thread)
}
