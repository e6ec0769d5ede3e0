import Foundation

/// Reads one URL for each line "WAY URL" of standard input, and answers with a line: the sum and the number of the bytes, and what this
/// process used meanwhile; or "error" and the reason. It ends with its input; Ctrl-C is for the laboratory that drives it.
public func answerLines() async {
    signal(SIGINT, SIG_IGN)
    setvbuf(stdout, nil, _IOLBF, 0)
    let client = Client()
    while let line = readLine() {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, let way = Way.named(words[0]), let url = URL(string: words[1]) else {
            print("error not a way and a URL: \(line)")
            continue
        }
        do {
            let before = Usage.before()
            let total = try await way.read(url, with: client)
            let used = Usage.after() - before
            print(total.sum, total.length, used.counters.map(String.init).joined(separator: " "))
        } catch {
            print("error", error.localizedDescription.replacingOccurrences(of: "\n", with: " "))
        }
    }
}
