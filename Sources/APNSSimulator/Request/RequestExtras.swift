/// What is kept of a request beyond its facts.
final class RequestExtras {
    /// A broadcast, or about channels.
    var concernsChannels = false
    /// These two only where keys are limited to topics, or refused.
    var topic: String?
    var token: ProviderToken?
    var otherFields = OtherFields()
}
