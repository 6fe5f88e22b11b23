import Foundation
import TestSupport
import Foundations

/// A simulated broker that lets a client log in and consume, and then sends the bytes that a test specifies.
final class ScriptedBroker: Sendable {
    let port: UInt16
    private let listener: Int32

    /// - Parameter odd: the bytes to send after the answer to `basic.consume`.
    init(sending odd: [UInt8]) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isListening = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(listener, place, length) == 0 && listen(listener, 5) == 0
                    && getsockname(listener, place, &length) == 0
            }
        }
        guard isListening else { throw Failure(description: "no port: \(String(cString: strerror(errno)))") }
        self.listener = listener
        port = UInt16(bigEndian: place.sin_port)
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    close(listener)
                    return
                }
                Self.serve(client, odd)
                close(client)
            }
        }
    }

    /// Ends the thread, which closes the listener. May be called only once.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Answers each method of the client as AMQP 0-9-1 requires, until the client disconnects. For most methods, the
    /// answer is the method with the next number.
    private static func serve(_ client: Int32, _ odd: [UInt8]) {
        guard read(client, 8) != nil else { return }
        let start: [UInt8] = [0, 9] + long([]) + long(Array("PLAIN".utf8)) + long(Array("en_US".utf8))
        write(client, method(10, 10, channel: 0, start))
        while let head = read(client, 7) {
            let size = head[3...6].reduce(0) { $0 << 8 | Int($1) }
            guard let rest = read(client, size + 1) else { return }
            guard head[0] == 1 else { continue }
            let (channel, classID, methodID) = (head[2], rest[1], rest[3])
            switch (classID, methodID) {
            case (20, 41): break
            case (10, 11): write(client, method(10, 30, channel: 0, [0, 0, 0, 2, 0, 0, 0, 30]))
            case (10, 31), (10, 51): break
            case (10, 40): write(client, method(10, 41, channel: 0, [0]))
            case (20, 10): write(client, method(20, 11, channel: channel, long([])))
            case (60, 20): write(client, method(60, 21, channel: channel, [0]) + odd)
            default: write(client, method(classID, methodID + 1, channel: channel, []))
            }
        }
    }

    // MARK: Frames

    /// Returns a delivery with a body of one byte and the given encoded properties.
    static func delivery(channel: UInt8, properties: [UInt8] = [0, 0]) -> [UInt8] {
        let deliver: [UInt8] = [0] + [0, 0, 0, 0, 0, 0, 0, 1] + [0] + [0] + [0]
        let header: [UInt8] = [0, 60, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 1] + properties
        return method(60, 60, channel: channel, deliver) + frame(2, channel, header) + frame(3, channel, [7])
    }

    static func long(_ bytes: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
    }

    static func frame(_ type: UInt8, _ channel: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [type, 0, channel] + long(payload) + [0xCE]
    }

    private static func method(_ classID: UInt8, _ methodID: UInt8, channel: UInt8, _ arguments: [UInt8]) -> [UInt8] {
        frame(1, channel, [0, classID, 0, methodID] + arguments)
    }

    private static func read(_ client: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            let taken = bytes[position...].withUnsafeMutableBytes { recv(client, $0.baseAddress, $0.count, 0) }
            guard taken > 0 else { return nil }
            position += taken
        }
        return bytes
    }

    private static func write(_ client: Int32, _ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
