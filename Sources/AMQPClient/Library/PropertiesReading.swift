extension AMQPProperties {
    /// Decodes properties from the wire: flags, then the values that are set, in a fixed order (AMQP 0-9-1, section
    /// 4.2.6.1).
    ///
    /// The library's decoder is not used, because it rejects some properties that publishers may send. The library then
    /// closes the connection, which would affect the messages of other publishers.
    ///
    /// - Parameter problem: set to a description of the properties that could not be read. The readable ones are still
    ///   set.
    init(wire: UnsafeRawBufferPointer, problem: inout String?) {
        self.init()
        var reader = WireReader(wire)
        do throws(WireReader.Unreadable) {
            try read(&reader, &problem)
        } catch {
            problem = problem ?? error.problem
        }
    }

    private mutating func read(_ reader: inout WireReader, _ problem: inout String?) throws(WireReader.Unreadable) {
        let flags = try reader.integer(UInt16.self)
        // Further flags may follow the first sixteen. The class `basic` does not use them.
        var more = flags
        while more & 1 != 0 { more = try reader.integer(UInt16.self) }
        func isSet(_ bit: UInt16) -> Bool { flags & 1 << bit != 0 }

        if isSet(15) { contentType = try reader.shortString(usually: "application/json") }
        if isSet(14) { contentEncoding = try reader.shortString() }
        if isSet(13) {
            let table = try reader.takeLong()
            var fields = FieldReader()
            headers = fields.table(table)
            problem = fields.problem
        }
        if isSet(12) { deliveryMode = DeliveryMode(rawValue: try reader.integer()) }
        if isSet(11) { priority = try reader.integer() }
        if isSet(10) { correlationID = try reader.shortString() }
        if isSet(9) { replyTo = try reader.shortString() }
        if isSet(8) { expiration = try reader.shortString() }
        if isSet(7) { messageID = try reader.shortString() }
        if isSet(6) { timestamp = try reader.integer() }
        if isSet(5) { type = try reader.shortString() }
        if isSet(4) { userID = try reader.shortString() }
        if isSet(3) { appID = try reader.shortString() }
    }
}
