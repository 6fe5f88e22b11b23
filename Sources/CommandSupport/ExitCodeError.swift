/// An error that ends a command with an exit code of its own (sysexits(3)). Its description is printed after the
/// command's name.
package protocol ExitCodeError: Error, CustomStringConvertible {
    var exitCode: Int32 { get }
}
