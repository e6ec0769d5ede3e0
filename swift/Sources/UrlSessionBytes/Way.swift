import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A way to read the bytes at a URL with URLSession: how they come, and how they are walked over. The laboratory's rows have its names.
enum Way: Equatable {
    case bytesFor
    case bytesReduce
    case data(Walk)
    case incremental(Walk)
    case completion(Walk)

    static let all: [Way] = [.bytesFor, .bytesReduce] + Walk.allCases.map(Way.data)
        + Walk.allCases.map(Way.incremental) + Walk.allCases.map(Way.completion)

    var name: String {
        switch self {
        case .bytesFor: return "UrlSessionBytesFor"
        case .bytesReduce: return "UrlSessionBytesReduce"
        case .data(let walk): return "UrlSessionData" + walk.rawValue
        case .incremental(let walk): return "UrlSessionIncremental" + walk.rawValue
        case .completion(let walk): return "UrlSessionCompletion" + walk.rawValue
        }
    }

    static func named(_ name: String) -> Way? { all.first { $0.name == name } }

    func read(_ url: URL, with client: Client) async throws -> Total {
        switch self {
        case .bytesFor:
            let (bytes, response) = try await client.bytes(from: url)
            try check(response)
            var total = Total()
            // What `for try await` was when it was measured, and still is for older systems of Apple. Where it calls next(isolation:)
            // instead, no call is inlined, and a byte takes ten times as long.
            var iterator = bytes.makeAsyncIterator()
            while let byte = try await iterator.next() {
                total.sum += UInt64(byte)
                total.length += 1
            }
            return total
        case .bytesReduce:
            let (bytes, response) = try await client.bytes(from: url)
            try check(response)
            return try await bytes.reduce(into: Total()) { total, byte in
                total.sum += UInt64(byte)
                total.length += 1
            }
        case .data(let walk):
            let (data, response) = try await client.session.data(from: url)
            try check(response)
            var total = Total()
            total.add(data, walk)
            return total
        case .incremental(let walk):
            return try await withCheckedThrowingContinuation { continuation in
                client.resume(client.session.dataTask(with: url), for: Increments(walk, continuation))
            }
        case .completion(let walk):
            return try await withCheckedThrowingContinuation { continuation in
                client.session.dataTask(with: url) { data, response, error in
                    continuation.resume(with: Result {
                        if let error { throw error }
                        try check(response)
                        var total = Total()
                        total.add(data ?? Data(), walk)
                        return total
                    })
                }.resume()
            }
        }
    }
}

/// Walks over each piece as it comes.
private final class Increments: Receiver {
    private let walk: Walk
    private let continuation: CheckedContinuation<Total, Error>
    private var total = Total()

    init(_ walk: Walk, _ continuation: CheckedContinuation<Total, Error>) {
        self.walk = walk
        self.continuation = continuation
    }

    func begin(_ response: URLResponse) {}

    func take(_ data: Data) { total.add(data, walk) }

    func end(_ response: URLResponse?, _ error: Error?) {
        continuation.resume(with: Result {
            if let error { throw error }
            try check(response)
            return total
        })
    }
}

struct UnexpectedResponse: LocalizedError {
    let status: Int?

    var errorDescription: String? { "the server answered with status \(status.map(String.init) ?? "none")" }
}

func check(_ response: URLResponse?) throws {
    let status = (response as? HTTPURLResponse)?.statusCode
    if status != 200 { throw UnexpectedResponse(status: status) }
}
