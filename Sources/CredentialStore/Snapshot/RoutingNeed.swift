import PushModel

/// What a credential must be good for.
struct RoutingNeed {
    let team: String
    let environment: PushEnvironment
    let topic: String
    /// What a key must be limited to, if it is limited: one for an app is taken to cover the app's topics with a
    /// suffix (`.voip`, …) too.
    let keyTopic: String
    /// Certificates are refused for this push type.
    let needsToken: Bool
    let now: Timestamp

    init(app: App, environment: PushEnvironment, topic: String, needsToken: Bool, now: Timestamp) {
        team = app.team
        self.environment = environment
        self.topic = topic
        keyTopic = topic.hasPrefix(app.bundleID + ".") ? app.bundleID : topic
        self.needsToken = needsToken
        self.now = now
    }
}
