import ArgumentParser
import CommandSupport

/// The program `martlet-simulator`.
@main
enum Program {
    static func main() {
        CommandProgram.main { await CommandProgram.run(SimulatorCommand.self) }
    }
}
