/// Apple's reasons for what may be the token's fault or that of whoever sent it to the wrong place.
enum BadToken: String, CaseIterable {
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
}
