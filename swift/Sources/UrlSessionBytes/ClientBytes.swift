#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

extension Client {
    // For systems whose Foundation lacks URLSession.bytes(from:) (swift-corelibs-foundation#3036): a sequence over what a delegate gets.
    // As there is no back pressure either, pieces that come faster than they are taken wait in memory.
    func bytes(from url: URL) async throws -> (DelegateBytes, URLResponse) {
        let (pieces, sink) = AsyncThrowingStream<Data, Error>.makeStream()
        let task = session.dataTask(with: url)
        sink.onTermination = { _ in task.cancel() }
        let response = try await withCheckedThrowingContinuation { continuation in
            resume(task, for: Pieces(sink, continuation))
        }
        return (DelegateBytes(pieces: pieces), response)
    }
}

struct DelegateBytes: AsyncSequence {
    typealias Element = UInt8

    fileprivate let pieces: AsyncThrowingStream<Data, Error>

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: pieces.makeAsyncIterator()) }

    // A byte of the current piece is two pointers away, as in Apple's own sequence; only the next piece is waited for.
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: AsyncThrowingStream<Data, Error>.AsyncIterator
        private var piece: Piece?
        private var position: UnsafePointer<UInt8>?
        private var end: UnsafePointer<UInt8>?

        fileprivate init(pieces: AsyncThrowingStream<Data, Error>.AsyncIterator) { self.pieces = pieces }

        @inline(__always)
        mutating func next() async throws -> UInt8? {
            if position == end, try await !advance() { return nil }
            let byte = position.unsafelyUnwrapped.pointee
            position = position.unsafelyUnwrapped + 1
            return byte
        }

        @inline(never)
        private mutating func advance() async throws -> Bool {
            while let data = try await pieces.next() {
                if data.isEmpty { continue }
                let copy = Piece(data)
                piece = copy
                position = UnsafePointer(copy.bytes.baseAddress!)
                end = position.unsafelyUnwrapped + copy.bytes.count
                return true
            }
            return false
        }
    }

    // The bytes of a Data may move when it is touched; these stay where they are.
    private final class Piece {
        let bytes: UnsafeMutableBufferPointer<UInt8>

        init(_ data: Data) {
            bytes = .allocate(capacity: data.count)
            _ = data.copyBytes(to: bytes)
        }

        deinit { bytes.deallocate() }
    }
}

private final class Pieces: Receiver {
    private let sink: AsyncThrowingStream<Data, Error>.Continuation

    // Until the response begins.
    private var begun: CheckedContinuation<URLResponse, Error>?

    init(_ sink: AsyncThrowingStream<Data, Error>.Continuation, _ begun: CheckedContinuation<URLResponse, Error>) {
        self.sink = sink
        self.begun = begun
    }

    func begin(_ response: URLResponse) { resume(.success(response)) }

    func take(_ data: Data) { sink.yield(data) }

    func end(_ response: URLResponse?, _ error: Error?) {
        resume(response.map(Result.success) ?? .failure(error ?? UnexpectedResponse(status: nil)))
        sink.finish(throwing: error)
    }

    private func resume(_ result: Result<URLResponse, Error>) {
        begun?.resume(with: result)
        begun = nil
    }
}
#else
import Foundation

extension Client {
    func bytes(from url: URL) async throws -> (URLSession.AsyncBytes, URLResponse) { try await session.bytes(from: url) }
}
#endif
