namespace Millrace.Lab.Reporting;

/// <summary>Describes each method in a line, for readers who have only the report.</summary>
internal static class MethodTexts
{
    private static readonly Dictionary<string, Dictionary<string, string>> Suites = new()
    {
        ["files"] = new()
        {
            ["FileStreamSync"] = "FileStream without its own buffer; Read into one array of the buffer's size",
            ["FileStreamAsync"] = "the same with ReadAsync",
            ["PipeReaderCreate"] = "PipeReader.Create over a FileStream, with segments of the buffer's size",
            ["PipePump"] = "a task that reads a FileStream into a Pipe, whose other end is read",
            ["SocketsUnofficial"] = "a pipe over a FileStream by the library Pipelines.Sockets.Unofficial",
            ["NerdbankStreams"] = "a pipe over a FileStream by the library Nerdbank.Streams",
            ["OverlappedPipe"] = "overlapped reads into a Pipe, one at a time (Windows)",
            ["MemoryMapped"] = "the framework's MemoryMappedFile, the whole file mapped",
            ["FilePipe"] = "Millrace's file pipe, which chooses how it reads",
            ["FilePipeBuffered"] = "Millrace's file pipe: large blocks read by the caller's thread",
            ["FilePipeReadAhead"] = "Millrace's file pipe: a second thread reads the next block",
            ["FilePipeMapped"] = "Millrace's file pipe: the file mapped, in windows",
            ["FilePipeDirect"] = "Millrace's file pipe: past the page cache, so always from the disk",
            ["RawRead"] = "floor: nothing but pread into one aligned block",
            ["RawReadTwo"] = "floor: two threads, each with pread and half of the file",
            ["RawMap"] = "floor: mmap of the whole file",
            ["RawSum"] = "the sum of the same bytes in memory; reads no file",
        },
        ["writes"] = new()
        {
            ["FileStreamSync"] = "FileStream whose buffer is the chunk; one Write each",
            ["FileStreamAsync"] = "the same opened as asynchronous, with WriteAsync",
            ["FileStreamDefaultBuffer"] = "FileStream with its default buffer of 4096 bytes",
            ["WriteAllBytes"] = "File.WriteAllBytes of one array",
            ["RandomAccess"] = "RandomAccess.Write with offsets",
            ["PipeWriterCreate"] = "PipeWriter.Create over a FileStream without a buffer",
            ["FilePipe"] = "Millrace's file pipe; where it reads, the one reader that scans are compared with",
            ["FilePipeWriteBehind"] = "Millrace's file pipe: a second thread writes",
            ["FilePipeDirect"] = "Millrace's file pipe: past the page cache",
            ["FileCopy"] = "the framework's File.Copy",
            ["Cp"] = "/bin/cp in its own process",
            ["FilePipeCopy"] = "FilePipe.CopyAsync",
            ["FilePipeScan"] = "FilePipe.ScanAsync: several readers at once, each of one part",
            ["FilePipeAppend"] = "FilePipe.Append: writers on one file whose flushes are combined",
            ["FileStreamAppend"] = "one FileStream under a lock, flushed to the disk per record",
            ["RawWrite"] = "floor: nothing but write of each chunk",
            ["RawReadTwo"] = "floor: two threads, each with pread and half of the file",
        },
        ["small"] = new()
        {
            ["FileStreamSync"] = "FileStream without its own buffer; Read into one array until the end",
            ["FileStreamAsync"] = "the same opened as asynchronous, with ReadAsync",
            ["ReadAllBytes"] = "File.ReadAllBytes, an array for each file",
            ["PipeReaderCreate"] = "PipeReader.Create over a FileStream",
            ["FilePipe"] = "Millrace's file pipe, with Read",
            ["FilePipeAsync"] = "Millrace's file pipe, with ReadAsync",
            ["FileStreamMove"] = "FileStream to a temporary name, then File.Move",
            ["FilePipeCommit"] = "Millrace's file pipe, with Commit",
            ["FilePipeCommitAsync"] = "Millrace's file pipe, with CommitAsync",
        },
        ["cache"] = new()
        {
            ["FileStreamSync"] = "FileStream without its own buffer, 256 KiB at a time",
            ["FilePipe"] = "Millrace's file pipe; what it reads stays cached",
            ["FilePipeUncached"] = "Millrace's file pipe with KeepCached = false",
        },
        ["transfers"] = new()
        {
            ["HttpClient"] = "HttpClient over HTTP/1.1 against Kestrel, both with CopyToAsync",
            ["HttpClientHttp2"] = "the same over HTTP/2",
            ["HttpClientSha256"] = "HttpClient over HTTP/1.1 with SHA-256 computed in the copying loops",
            ["Http1"] = "Millrace's TransferClient and server over HTTP/1.1",
            ["Http2"] = "the same over HTTP/2",
            ["Tus"] = "the same over tus 1.0 (uploads)",
            ["GrpcDirect"] = "the same over gRPC",
            ["GrpcWebDirect"] = "the same over gRPC-Web, binary",
            ["GrpcWebTextDirect"] = "the same over gRPC-Web in base64",
            ["Http1Sha256"] = "Millrace over HTTP/1.1, SHA-256 verified before anything is published",
            ["Http2Sha256"] = "the same over HTTP/2",
            ["TusSha256"] = "the same over tus",
            ["GrpcDirectSha256"] = "the same over gRPC",
            ["GrpcNetByteArray"] = "Grpc.Net.Client against Grpc.AspNetCore, a new array per message",
            ["GrpcNetRentedArray"] = "the same with arrays of ArrayPool",
            ["GrpcNetWebByteArray"] = "Grpc.Net.Client.Web against Grpc.AspNetCore.Web, a new array per message (downloads)",
            ["GrpcNetWebRentedArray"] = "the same with arrays of ArrayPool",
            ["GrpcNetWebTextByteArray"] = "Grpc.Net.Client.Web in base64, a new array per message",
            ["GrpcNetWebTextRentedArray"] = "the same with arrays of ArrayPool",
            ["GrpcCoreByteArray"] = "Grpc.Core against its own server, a new array per message",
            ["GrpcCoreRentedArray"] = "the same with arrays of ArrayPool",
            ["GrpcCoreChannel"] = "Grpc.Core against Grpc.AspNetCore, with arrays of ArrayPool",
            ["RawSockets"] = "floor: nothing but pread and send, recv and write, on an open connection",
        },
        ["server"] = new()
        {
            ["Stock"] = "an application on unmodified Kestrel: SendFileAsync, and CopyToAsync to a FileStream",
            ["MillraceSockets"] = "the same application with UseMillraceSockets",
            ["ServeKestrel"] = "millrace serve --transport kestrel: Kestrel's sockets, with larger blocks",
            ["Serve"] = "millrace serve",
            ["Nginx"] = "nginx with sendfile, one process, no access log",
        },
        ["stores"] = new()
        {
            ["Rclone"] = "rclone copyto, four parts at a time, digests compared",
            ["RcloneOnePut"] = "rclone with one request for the file (uploads)",
            ["RcloneUnchecked"] = "rclone without a digest",
            ["Millrace"] = "TransferClient and millrace serve s3://…, SHA-256 compared",
            ["MillraceRedirected"] = "the same, with downloads sent straight from the bucket",
        },
        ["sync"] = new()
        {
            ["Rsync"] = "rsync -a to or from its daemon",
            ["Millrace"] = "FolderSync and millrace serve, as millrace sync",
            ["Zsync"] = "zsync of a file of sums that zsyncmake has made before (downloads)",
            ["Rclone"] = "rclone copy to the same Millrace server over WebDAV",
            ["Sha256"] = "OpenSSL's SHA-256 of the file",
            ["BlockSums"] = "the sums of the file's blocks, as a server makes them",
        },
    };

    // A method of the suite "bytes" is an arrival and a walk.
    private static readonly Dictionary<string, string> Arrivals = new()
    {
        ["AsyncBytes"] = "a plain async sequence of bytes",
        ["AllAtOnce"] = "all bytes in one array",
        ["Increments"] = "ReadAsync into one array, increment by increment",
        ["Completion"] = "all bytes in one array, passed to a callback",
        ["PipeReader"] = "a PipeReader; of a file, Millrace's",
        ["MillraceBytes"] = "Millrace's ReadBytesAsync and ForEachSegmentAsync",
        ["StreamReader"] = "StreamReader.ReadLineAsync: a string per line",
        ["MillraceLines"] = "Millrace's ReadLinesAsync: the bytes of each line in place",
        ["UrlSessionBytes"] = "URLSession in Swift: bytes(from:), an async sequence",
        ["UrlSessionData"] = "URLSession in Swift: data(from:), all bytes at once",
        ["UrlSessionIncremental"] = "URLSession in Swift: a delegate that gets each piece",
        ["UrlSessionCompletion"] = "URLSession in Swift: a completion handler that gets all bytes",
    };

    private static readonly Dictionary<string, string> Walks = new()
    {
        ["For"] = "a loop by index",
        ["ForEach"] = "a delegate for each byte",
        ["Reduce"] = "a fold",
        ["Span"] = "a loop over a span",
        ["Unsafe"] = "a loop over the raw buffer",
        ["Vector"] = "Vector<T> over a span",
        ["AwaitForEach"] = "await foreach",
    };

    /// <summary>The methods of a run in the order in which they first appear; those without a text are left out.</summary>
    public static IReadOnlyDictionary<string, string> Of(LabResults results) => results.Cases
        .Where(item => item.Role is null).Select(item => item.Method).Distinct()
        .Select(method => (Method: method, Text: Of(results.Suite, method)))
        .Where(method => method.Text is not null)
        .ToDictionary(method => method.Method, method => method.Text!);

    /// <returns>Null for a method that this version does not know.</returns>
    public static string? Of(string suite, string method) => suite == "bytes"
        ? OfWalk(method)
        : Suites.GetValueOrDefault(suite)?.GetValueOrDefault(method);

    private static string? OfWalk(string method)
    {
        string? arrival = Arrivals.Keys.FirstOrDefault(name => method.StartsWith(name, StringComparison.Ordinal)
            && (method.Length == name.Length || method[name.Length] == '.' || name.StartsWith("UrlSession", StringComparison.Ordinal)));
        return arrival is null ? null
            : Walks.TryGetValue(method[arrival.Length..].TrimStart('.'), out string? walk) ? $"{Arrivals[arrival]}; {walk}"
            : Arrivals[arrival];
    }
}
