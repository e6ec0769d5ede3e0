using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

// gRPC and gRPC-Web with Millrace at both ends, and the same with an array for each message.
public partial class FileTransfers
{
    private ArrayClient? _arrayClient;

    /// <summary>gRPC with a new array for each message.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcByteArray() => MoveInArraysAsync();

    /// <summary>gRPC with a rented array for each message.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcRentedArray() => MoveInArraysAsync();

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
    public ValueTask<long> GrpcWebByteArray() => MoveInArraysAsync();

    /// <summary>The same with rented arrays.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebRentedArray() => MoveInArraysAsync();

    /// <summary>The same without messages.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebDirect() => MoveAsync();

    /// <summary>gRPC-Web in base64 with a new array for each message; uploads in parts.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebTextByteArray() => MoveInArraysAsync();

    /// <summary>The same with rented arrays.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebTextRentedArray() => MoveInArraysAsync();

    /// <summary>The same without messages.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcWebTextDirect() => MoveAsync();

    private async ValueTask<long> MoveInArraysAsync([CallerMemberName] string name = "")
    {
        TransferMethod method = TransferMethods.Find(name);
        _arrayClient ??= new ArrayClient(
            await FindAsync(method).ConfigureAwait(false),
            method.Protocol!.Value,
            method.Array,
            Buffer,
            Compression == TransferCompression.Gzip,
            Durability);
        if (Direction == TransferDirection.Download)
        {
            await _arrayClient.DownloadAsync(Source, _downloaded).ConfigureAwait(false);
        }
        else
        {
            await _arrayClient.UploadAsync(Source, TransferFolders.UploadedName).ConfigureAwait(false);
        }

        if (DescribesItself)
        {
            Description = method.Protocol.ToString();
        }

        return Source.Bytes;
    }
}
