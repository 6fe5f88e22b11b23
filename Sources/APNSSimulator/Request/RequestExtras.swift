/// The data about a request that only some requests need.
final class RequestExtras {
    /// Whether the request is a broadcast or a channel request.
    var concernsChannels = false
    /// The topic of the request, or `nil`. It is set only if any key is refused or limited to topics.
    var topic: String?
    /// The provider token of the request, or `nil`. It is set only if any key is refused or limited to topics.
    var token: ProviderToken?
    var otherFields = OtherFields()
}
