import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a task of a `Client` gets, on the session's queue, one call after the other.
protocol Receiver: AnyObject {
    func begin(_ response: URLResponse)
    func take(_ data: Data)
    func end(_ response: URLResponse?, _ error: Error?)
}

/// One session, as programs have, whose connections stay open between readings. Nothing may come from a cache.
///
/// The delegate of a single task is not called on Linux, so that of the session passes everything on to the receiver of the task.
final class Client: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let gate = NSLock()
    private var current: (task: URLSessionTask, receiver: Receiver)?
    private(set) var session: URLSession!

    override init() {
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    func resume(_ task: URLSessionTask, for receiver: Receiver) {
        gate.lock()
        current = (task, receiver)
        gate.unlock()
        task.resume()
    }

    // A task that was cancelled may still be heard of.
    private func receiver(of task: URLSessionTask) -> Receiver? {
        gate.lock()
        defer { gate.unlock() }
        return current?.task == task ? current?.receiver : nil
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        receiver(of: dataTask)?.begin(response)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        receiver(of: dataTask)?.take(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        receiver(of: task)?.end(task.response, error)
    }
}
