/// The reasons of APNs for a token that is bad, or that a publisher used in the wrong environment or for the wrong app.
enum BadToken: String, CaseIterable {
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
}
