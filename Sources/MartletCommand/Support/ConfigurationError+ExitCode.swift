import CommandSupport
package import MartletConfiguration

extension ConfigurationError: ExitCodeError {
    /// `EX_CONFIG` of sysexits(3).
    package var exitCode: Int32 { 78 }
}
