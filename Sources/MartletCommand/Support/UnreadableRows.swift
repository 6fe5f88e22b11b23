import ArgumentParser
import CommandSupport
import Routing

/// Prints the reasons why rows can't be read. Must be called after the readable rows are printed, because it throws.
///
/// - Throws: `ExitCode.failure` if there is such a row.
func printUnreadable(_ rows: [RowError]) throws {
    for row in rows { printError("\(row)") }
    if !rows.isEmpty { throw ExitCode.failure }
}
