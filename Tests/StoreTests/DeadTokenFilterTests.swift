import PushModel
import Store
import Testing

@Suite struct DeadTokenFilterTests {
    private func hash(_ token: String, app: String = "com.example.shop", _ environment: PushEnvironment = .production)
        -> UInt64
    {
        let seed = TokenHash.seed(output: "apns", app: app, environment: environment)
        return Array(token.utf8).withUnsafeBytes { TokenHash.hash($0, seed: seed) }
    }

    /// Returns a token of 64 hex digits, like a device token. Its last digits are the number.
    private func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    @Test func containsEveryInsertedToken() {
        var filter = DeadTokenFilter(expecting: 100_000, maximumBytes: 64 << 20)
        for number in 0..<100_000 { filter.insert(hash(token(number))) }
        #expect((0..<100_000).allSatisfy { filter.mayContain(hash(token($0))) })
    }

    @Test func keepsFalsePositivesNearOneInAThousand() {
        var filter = DeadTokenFilter(expecting: 100_000, maximumBytes: 64 << 20)
        #expect(filter.capacity >= 150_000)
        for number in 0..<filter.capacity { filter.insert(hash(token(number))) }
        let wrong = (1_000_000..<1_200_000).count { filter.mayContain(hash(token($0))) }
        #expect((20...800).contains(wrong), "false positives: \(wrong) of 200,000")
        #expect(abs(filter.count - filter.capacity) < filter.capacity / 100, "\(filter.count) of \(filter.capacity)")
    }

    @Test func boundsMemoryAndMatchesAllTokensWhenOverfull() {
        var filter = DeadTokenFilter(expecting: 1_000_000, maximumBytes: 4_096)
        #expect(filter.bytes == 4_096)
        for number in 0..<100_000 { filter.insert(hash(token(number))) }
        #expect((500_000..<501_000).allSatisfy { filter.mayContain(hash(token($0))) })
        #expect(filter.bytes == 4_096)
        #expect(DeadTokenFilter(expecting: 5_000_000, maximumBytes: 64 << 20).bytes < 16 << 20)
        #expect(DeadTokenFilter(expecting: 5, maximumBytes: 0).bytes == 32)
    }

    @Test func countsRepeatedTokenOnce() {
        var filter = DeadTokenFilter(expecting: 10, maximumBytes: 64 << 20)
        for _ in 0..<3 { filter.insert(hash("aa")) }
        #expect(filter.count == 1)
    }

    @Test func hashesAppEnvironmentAndTokenIgnoringCase() {
        let hashes = [
            hash("ab12"), hash("ab13"), hash("ab120"), hash(""), hash("ab12", app: "com.example.news"),
            hash("ab12", .sandbox), hash(token(1)), hash(token(2)), hash("00" + token(1)), hash(token(1) + "00"),
        ]
        #expect(Set(hashes).count == hashes.count)
        #expect(hash("AB12") == hash("ab12"))
        #expect(hash(String(repeating: "AF", count: 40)) == hash(String(repeating: "af", count: 40)))
    }

    /// Tokens may differ in a single digit at any position.
    @Test func hashDependsOnEveryDigit() {
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 80)
        var seen: Set<UInt64> = []
        for place in zeros.indices {
            for digit in "123456789abcdef".utf8 {
                var token = zeros
                token[place] = digit
                seen.insert(token.withUnsafeBytes { TokenHash.hash($0, seed: 1) })
            }
        }
        #expect(seen.count == 80 * 15)
    }

    @Test(arguments: [
        (hours: 0.05, added: 2_000, alarms: 0, mayGrow: true, isOver: false),
        (hours: 0.1, added: 2_000, alarms: 0, mayGrow: true, isOver: true),
        (hours: 0.1, added: 2_000, alarms: 0, mayGrow: false, isOver: false),
        (hours: 0.1, added: 100, alarms: 0, mayGrow: true, isOver: false),
        (hours: 0.9, added: 0, alarms: 50_000, mayGrow: true, isOver: false),
        (hours: 1.1, added: 0, alarms: 50_000, mayGrow: false, isOver: true),
        (hours: 1.1, added: 0, alarms: 10_000, mayGrow: true, isOver: false),
        (hours: 23.9, added: 0, alarms: 0, mayGrow: true, isOver: false),
        (hours: 24.1, added: 0, alarms: 0, mayGrow: false, isOver: true),
    ])
    func reloadsFilterWhenFullInaccurateOrOld(
        _ example: (hours: Double, added: Int, alarms: Int, mayGrow: Bool, isOver: Bool)
    ) {
        let start = ContinuousClock.now
        let age = FilterAge(loadedAt: start, count: 1_000, capacity: 2_000, mayGrow: example.mayGrow)
            .adding(example.added)
        #expect(
            age.isOver(at: start + .seconds(example.hours * 3_600), falsePositives: example.alarms) == example.isOver)
    }
}
