internal import PushSimulator

/// The suffixes of topics. A suffix follows the app's bundle id and determines the kind of push.
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
