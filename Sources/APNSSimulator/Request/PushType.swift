/// The values of `apns-push-type` (Apple: "Sending notification requests to APNs").
package enum PushType: CaseIterable, Sendable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip
    case widgets

    package init?(_ value: UnsafeRawBufferPointer) {
        guard let type = Self.allCases.first(where: { value.equals($0.name) }) else { return nil }
        self = type
    }

    package var name: StaticString {
        switch self {
        case .alert: "alert"
        case .background: "background"
        case .complication: "complication"
        case .controls: "controls"
        case .fileprovider: "fileprovider"
        case .liveactivity: "liveactivity"
        case .location: "location"
        case .mdm: "mdm"
        case .pushtotalk: "pushtotalk"
        case .voip: "voip"
        case .widgets: "widgets"
        }
    }

    /// What the topic of this type ends with; nil: any topic will do.
    package var topicSuffix: TopicSuffix? {
        switch self {
        case .alert, .background: TopicSuffix.none
        case .complication: .complication
        case .controls: .controls
        case .fileprovider: .fileprovider
        case .liveactivity: .liveactivity
        case .location: .location
        case .mdm: nil
        case .pushtotalk: .pushtotalk
        case .voip: .voip
        case .widgets: .widgets
        }
    }
}

/// The endings that tell what kind of push a topic is for, after the app's bundle identifier.
package enum TopicSuffix: CaseIterable, Sendable {
    case none, complication, controls, fileprovider, liveactivity, location, pushtotalk, voip, widgets

    package var text: StaticString {
        switch self {
        case .none: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    init(ofTopic topic: UnsafeRawBufferPointer) {
        self = Self.allCases.dropFirst().first { topic.hasSuffix($0.text) } ?? .none
    }
}
