/// Data about a request that only some requests need.
final class RequestExtras {
    /// Whether the request is a broadcast or manages channels.
    var concernsChannels = false
    /// The topic and the token are set only if keys are refused or limited to topics.
    var topic: String?
    var token: ProviderToken?
    var otherFields = OtherFields()
}
