internal import PushSimulator

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

    /// The suffix of topics for this type. It is `nil` if any topic is allowed.
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
