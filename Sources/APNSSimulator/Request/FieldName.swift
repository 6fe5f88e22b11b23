internal import PushSimulator

/// The names of the header fields that APNs evaluates, and of the fields that nearly every client sends. Repetitions of
/// these fields can be detected without a set of names.
package enum FieldName: UInt32 {
    case method, path, authorization, topic, pushType, messageID, expiration, priority, collapseID
    case scheme, authority, contentType, contentLength, userAgent, accept, acceptEncoding

    package init?(_ name: UnsafeRawBufferPointer) {
        // The length distinguishes most names, so few comparisons are necessary.
        switch name.count {
        case 5 where name.equals(":path"): self = .path
        case 6 where name.equals("accept"): self = .accept
        case 7 where name.equals("apns-id"): self = .messageID
        case 7 where name.equals(":method"): self = .method
        case 7 where name.equals(":scheme"): self = .scheme
        case 10 where name.equals("apns-topic"): self = .topic
        case 10 where name.equals(":authority"): self = .authority
        case 10 where name.equals("user-agent"): self = .userAgent
        case 12 where name.equals("content-type"): self = .contentType
        case 13 where name.equals("authorization"): self = .authorization
        case 13 where name.equals("apns-priority"): self = .priority
        case 14 where name.equals("apns-push-type"): self = .pushType
        case 14 where name.equals("content-length"): self = .contentLength
        case 15 where name.equals("apns-expiration"): self = .expiration
        case 15 where name.equals("accept-encoding"): self = .acceptEncoding
        case 16 where name.equals("apns-collapse-id"): self = .collapseID
        default: return nil
        }
    }
}
