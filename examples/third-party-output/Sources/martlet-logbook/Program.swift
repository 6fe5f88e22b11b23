import LogbookOutput
import MartletOutputs

/// The program `martlet` with the logbook output added.
@main
enum Program {
    static func main() { Martlet.main(adding: [LogbookPlugin()]) }
}
