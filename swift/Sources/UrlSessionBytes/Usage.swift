import Foundation

/// The counters of this process, in the order in which the laboratory reads them. What a system lacks is 0.
///
/// getrusage(2), proc_pid_io(5): processor time of the process and of the kernel for it (nanoseconds), minor and major page faults,
/// voluntary and involuntary switches, then rchar, read_bytes, syscr, wchar, write_bytes and syscw.
struct Usage {
    var counters: [Int]

    /// Reads them so that reading them is not counted between two of them.
    static func before() -> Usage {
        var (io, length) = readIo()
        // Its own read is counted only afterwards.
        io[0] += length
        io[2] += length > 0 ? 1 : 0
        return Usage(counters: readTimes() + io)
    }

    static func after() -> Usage {
        let times = readTimes()
        return Usage(counters: times + readIo().fields)
    }

    static func - (after: Usage, before: Usage) -> Usage {
        Usage(counters: zip(after.counters, before.counters).map { $0 - $1 })
    }

    private static func readTimes() -> [Int] {
        var usage = rusage()
        // RUSAGE_SELF, which Linux's headers bring to Swift as another type than the call takes.
        getrusage(0, &usage)
        func nanoseconds(_ time: timeval) -> Int { Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_usec) * 1_000 }
        return [
            nanoseconds(usage.ru_utime), nanoseconds(usage.ru_stime),
            usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw, usage.ru_nivcsw,
        ]
    }

    private static func readIo() -> (fields: [Int], length: Int) {
        let names = ["rchar", "read_bytes", "syscr", "wchar", "write_bytes", "syscw"]
        let file = open("/proc/self/io", O_RDONLY)
        guard file >= 0 else { return (names.map { _ in 0 }, 0) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let length = max(0, read(file, &bytes, bytes.count))
        var values: [Substring: Int] = [:]
        for line in String(decoding: bytes[..<length], as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2 { values[parts[0].dropLast()] = Int(parts[1]) }
        }
        return (names.map { values[Substring($0)] ?? 0 }, length)
    }
}
