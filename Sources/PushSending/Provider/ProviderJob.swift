package import PushModel

/// A job of a ``ProviderSender``, with the function that builds its requests.
// why: unchecked like its base class. It adds no mutable state.
package final class ProviderJob: QueuedJob, @unchecked Sendable {
    let request: PushProvider.RequestBuilder

    package init(_ routed: RoutedJob, sink: any OutcomeSink, request: @escaping PushProvider.RequestBuilder) {
        self.request = request
        super.init(routed, sink: sink)
    }
}
