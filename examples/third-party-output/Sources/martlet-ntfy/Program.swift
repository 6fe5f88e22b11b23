import MartletOutputs
import NtfyOutput

/// The program `martlet` with the ntfy output added.
@main
enum Program {
    static func main() { Martlet.main(adding: [NtfyPlugin()]) }
}
