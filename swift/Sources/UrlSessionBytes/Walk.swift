import Foundation

/// How the bytes of a `Data` are walked over.
///
/// `+` checks for overflow, as the sums of the laboratory's rows in .NET do.
enum Walk: String, CaseIterable {
    case `for` = "For"
    case unsafe = "Unsafe"
    case forEach = "ForEach"
    case reduce = "Reduce"

    func sum(_ data: Data) -> UInt64 {
        var sum: UInt64 = 0
        switch self {
        case .for:
            for byte in data {
                sum += UInt64(byte)
            }
        case .unsafe:
            data.withUnsafeBytes { bytes in
                for byte in bytes {
                    sum += UInt64(byte)
                }
            }
        case .forEach:
            data.forEach { sum += UInt64($0) }
        case .reduce:
            sum = data.reduce(0) { $0 + UInt64($1) }
        }
        return sum
    }
}

/// What one reading found.
struct Total: Equatable {
    var sum: UInt64 = 0
    var length = 0

    mutating func add(_ data: Data, _ walk: Walk) {
        sum += walk.sum(data)
        length += data.count
    }
}
