import Dispatch
import Foundation
import PushModel
import Synchronization

/// An output that writes pushes to a file. Jobs wait until the output's own dispatch queue writes them, so that callers
/// never wait for the disk.
final class LogbookOutput: Output {
    private struct State {
        var waiting: [(job: RoutedJob, sink: any OutcomeSink)] = []
        var isStopped = false
    }

    private let path: String
    private let page: Int
    private let clock: @Sendable () -> Timestamp
    private let queue = DispatchQueue(label: "logbook")
    private let state = Mutex(State())

    init(path: String, page: Int, clock: @escaping @Sendable () -> Timestamp) {
        (self.path, self.page, self.clock) = (path, page, clock)
    }

    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.waiting.append((job, sink)) }
            return state.isStopped
        }
        if isStopped { return report(job, .returned, to: sink) }
        queue.async { [self] in writeNext() }
    }

    /// Does nothing, because this output needs no credentials.
    func credentialsChanged(to credentials: Set<Credential.ID>) {}

    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        for (job, sink) in takeOut(where: isCancelled) { report(job, .failed, Outcome.cancelled, to: sink) }
    }

    func stopSending() {
        state.withLock { $0.isStopped = true }
        for (job, sink) in takeOut(where: { _ in true }) { report(job, .returned, to: sink) }
    }

    func shutDown() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    private func takeOut(where isMeant: (_ job: String) -> Bool) -> [(job: RoutedJob, sink: any OutcomeSink)] {
        state.withLock { state in
            defer { state.waiting.removeAll { isMeant($0.job.job.id) } }
            return state.waiting.filter { isMeant($0.job.job.id) }
        }
    }

    private func writeNext() {
        guard let next = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return }
        var lines = Data()
        let entries = next.job.job.recipients.indices.map { entry(of: next.job, $0, into: &lines) }
        let written = append(lines)
        next.sink.report(
            entries.map { entry in
                let (verdict, reason) =
                    entry.verdict == .sent && written != .sent ? (written, "NotWritten") : (entry.verdict, entry.reason)
                return Outcome(
                    job: next.job, recipient: entry.recipient, verdict: verdict,
                    status: verdict == .unregistered ? 410 : 0, reason: reason, judge: .provider,
                    providerID: verdict == .sent ? ProviderID(entry.id) : nil,
                    unregisteredAt: verdict == .unregistered ? clock() : nil, at: clock())
            })
    }

    private typealias Entry = (recipient: Int, verdict: Outcome.Verdict, reason: String?, id: String)

    private func entry(of routed: RoutedJob, _ index: Int, into lines: inout Data) -> Entry {
        let (job, recipient) = (routed.job, routed.job.recipients[index])
        let name = String(decoding: job.bytes(recipient.token), as: UTF8.self)
        let payload = job.bytes(recipient.payload ?? job.payload)
        if job.isExpired(at: clock()) { return (index, .expired, nil, "") }
        if name.hasPrefix("ashore-") { return (index, .unregistered, "NotAboard", "") }
        if payload.count > page { return (index, .rejected, "PageTooShort", "") }
        let id = UUID().uuidString.lowercased()
        lines += Data(#"{"id":"\#(id)","app":\#(quoted(job.app)),"to":\#(quoted(name)),"payload":"#.utf8)
        // A payload of several lines becomes one line.
        lines += payload.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } + Data("}\n".utf8)
        return (index, .sent, nil, id)
    }

    private func quoted(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? #""""#
    }

    /// Appends lines to the file and returns the verdict. If nothing was written, the push can be retried. After a
    /// partial write the outcome is unknown, because another program may have read it.
    private func append(_ lines: Data) -> Outcome.Verdict {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { return .retry }
        defer { close(file) }
        let count = lines.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        return count == lines.count ? .sent : count <= 0 ? .retry : .unknown
    }

    private func report(
        _ job: RoutedJob, _ verdict: Outcome.Verdict, _ reason: String? = nil, to sink: any OutcomeSink
    ) {
        sink.report(
            job.job.recipients.indices.map {
                Outcome(job: job, recipient: $0, verdict: verdict, reason: reason, at: clock())
            })
    }
}
