/// The encoding of a ring as text for a worker's row.
///
/// ```
/// 1.SLOT.SECONDS.MASK.LANE.LANE.LANE~OUTPUT.SENT.RETRIED.REFUSED.ANSWERS…~OUTPUT…
/// ```
///
/// SLOT is the newest interval. SECONDS is the time that the counts of the newest interval cover. Bit n of MASK is set
/// if the worker ran n intervals before the newest. These three numbers are in base 36. LANE and the fields after
/// OUTPUT are columns: the counts of all intervals in MASK, oldest first. A column is encoded with
/// ``HistoryCode/precise``, or with ``HistoryCode/coarse`` for answers.
///
/// With four outputs, the text has at most 30 + 3 × 61 + 4 × (21 + 3 × 61 + 10 × 31) = 2,269 bytes for 30 intervals,
/// and 1,219 bytes for 15 intervals.
extension HistoryRing {
    /// The maximum number of outputs in a text. If there are more, the busiest outputs are encoded.
    package static let mostOutputs = 4
    private static let longestName = 20
    private static let longestText = 4_000
    private static let version = "1"
    /// The largest accepted number of an interval, which is far in the future. The limit prevents an overflow in
    /// arithmetic with intervals.
    private static let largestSlot = 1 << 40

    /// Returns the text of the last `count` intervals, or `nil` if the ring is empty.
    package func text(last count: Int) -> String? {
        guard let newest = slots.last else { return nil }
        let ring = suffix(since: newest - min(count, Self.size) + 1)
        let mask = ring.slots.reduce(0) { $0 | 1 << (newest - $1) }
        let header = [Self.version, base36(newest), base36(seconds), base36(mask)]
        let columns = Self.columns(ring.waiting, of: Self.lanes).map { HistoryCode.precise.text(of: $0) }
        var parts = [(header + columns).joined(separator: ".")]
        for (name, counts) in ring.busiest {
            var fields = [name]
            for (field, column) in Self.columns(counts, of: HistoryCounts.fields).enumerated() {
                fields.append(Self.code(of: field).text(of: column))
            }
            while fields.count > 1, fields.last?.isEmpty == true { fields.removeLast() }
            parts.append(fields.joined(separator: "."))
        }
        return parts.joined(separator: "~")
    }

    private static func code(of field: Int) -> HistoryCode { field < HistoryCounts.results ? .precise : .coarse }

    private static func columns(_ counts: [Int], of fields: Int) -> [[Int]] {
        (0..<fields).map { field in stride(from: field, to: counts.count, by: fields).map { counts[$0] } }
    }

    private var busiest: [(String, [Int])] {
        func work(_ counts: [Int]) -> Int {
            Self.columns(counts, of: HistoryCounts.fields).prefix(HistoryCounts.results).joined().reduce(0, +)
        }
        return outputs.filter { Self.isName($0.key) }.map { ($0.key, $0.value, work($0.value)) }
            .sorted { $0.2 == $1.2 ? $0.0 < $1.0 : $0.2 > $1.2 }.prefix(Self.mostOutputs).map { ($0.0, $0.1) }
    }

    private static func isName(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Decodes the text of another worker, which may have any content. Returns `nil` if the text has an unknown format,
    /// for example one of a later version.
    package init?(text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let parts = text.split(separator: "~", omittingEmptySubsequences: false)
        let header = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard header.count >= 4 + Self.lanes, header[0] == Self.version,
            let newest = Int(header[1], radix: 36), (Self.size...Self.largestSlot).contains(newest),
            let seconds = Int(header[2], radix: 36), (0...2 * Self.slotSeconds).contains(seconds),
            let mask = Int(header[3], radix: 36), mask > 0, mask < 1 << Self.size
        else { return nil }
        self.init()
        slots = (0..<Self.size).reversed().filter { mask >> $0 & 1 == 1 }.map { newest - $0 }
        self.seconds = seconds
        waiting = Array(repeating: 0, count: slots.count * Self.lanes)
        for lane in 0..<Self.lanes {
            guard
                HistoryCode.precise.read(
                    header[4 + lane], count: slots.count, into: &waiting, at: lane, every: Self.lanes)
            else { return nil }
        }
        for part in parts.dropFirst().prefix(Self.mostOutputs) {
            let columns = part.split(separator: ".", omittingEmptySubsequences: false)
            guard let name = columns.first, Self.isName(name) else { return nil }
            var counts = Array(repeating: 0, count: slots.count * HistoryCounts.fields)
            for (field, column) in columns.dropFirst().prefix(HistoryCounts.fields).enumerated() {
                guard
                    Self.code(of: field).read(
                        column, count: slots.count, into: &counts, at: field, every: HistoryCounts.fields)
                else { return nil }
            }
            outputs[String(name)] = counts
        }
    }

    private func base36(_ number: Int) -> String { String(number, radix: 36) }
}
