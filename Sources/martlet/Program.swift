import MartletOutputs

@main
enum Program {
    static func main() async { await Martlet.main() }
}
