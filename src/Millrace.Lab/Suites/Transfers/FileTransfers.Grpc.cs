using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Transfers;

// gRPC and gRPC-Web with Millrace at both ends, by what happens to chunks.
public partial class FileTransfers
{
    /// <summary>gRPC with a new array for each message.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcByteArray() => MoveAsync();

    /// <summary>gRPC with a rented array for each message.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcRentedArray() => MoveAsync();

    /// <summary>gRPC without messages: frames around a file's bytes where they are.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcDirect() => MoveAsync();

    /// <summary>The same with SHA-256 from end to end.</summary>
    [Benchmark]
    [BenchmarkCategory(WithDigest)]
    public ValueTask<long> GrpcDirectSha256() => MoveAsync();

    /// <summary>gRPC-Web over HTTP/1.1 with a new array for each message; uploads in parts.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebByteArray() => MoveAsync();

    /// <summary>The same with rented arrays.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebRentedArray() => MoveAsync();

    /// <summary>The same without messages.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebDirect() => MoveAsync();

    /// <summary>gRPC-Web in base64 with a new array for each message; uploads in parts.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebTextByteArray() => MoveAsync();

    /// <summary>The same with rented arrays.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebTextRentedArray() => MoveAsync();

    /// <summary>The same without messages.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebTextDirect() => MoveAsync();
}
