/// Apple's reasons that blame either the token or a publisher who used it in the wrong environment or for the wrong
/// app.
enum BadToken: String, CaseIterable {
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
}
