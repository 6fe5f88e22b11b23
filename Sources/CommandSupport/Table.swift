import PushModel

/// A table of text whose columns are as wide as their widest cell. Control characters in cells are escaped.
package struct Table {
    private var rows: [[String]]

    package init(header: [String]) {
        rows = [header]
    }

    package mutating func append(_ row: [String]) { rows.append(row.map(\.printable)) }

    package var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
            }.joined(separator: "  ")
        }
    }
}

package func print(_ table: Table) {
    for line in table.lines { print(line) }
}
