/// The request fields that mean something to APNs. One that is repeated is an error.
package enum FieldName: UInt16 {
    case method, path, authorization, topic, pushType, messageID, expiration, priority, collapseID
    case contentType, contentLength

    package init?(_ name: UnsafeRawBufferPointer) {
        // The length tells most apart; one comparison settles it.
        switch name.count {
        case 5 where name.equals(":path"): self = .path
        case 7 where name.equals("apns-id"): self = .messageID
        case 7 where name.equals(":method"): self = .method
        case 10 where name.equals("apns-topic"): self = .topic
        case 12 where name.equals("content-type"): self = .contentType
        case 13 where name.equals("authorization"): self = .authorization
        case 13 where name.equals("apns-priority"): self = .priority
        case 14 where name.equals("apns-push-type"): self = .pushType
        case 14 where name.equals("content-length"): self = .contentLength
        case 15 where name.equals("apns-expiration"): self = .expiration
        case 16 where name.equals("apns-collapse-id"): self = .collapseID
        default: return nil
        }
    }
}
