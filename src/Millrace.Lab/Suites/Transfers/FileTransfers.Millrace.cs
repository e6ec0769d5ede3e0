using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.GrpcCore;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

// Millrace at both ends, by wire.
public partial class FileTransfers
{
    // Made by the first invocation, which no figure is of: what a client asks a server once is not a transfer's.
    private TransferClient? _client;

    /// <summary>TransferClient over HTTP/1.1: ranges down, resumable uploads up.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> Http1() => MoveAsync();

    /// <summary>The same with SHA-256 from end to end.</summary>
    [Benchmark]
    [BenchmarkCategory(WithDigest)]
    public ValueTask<long> Http1Sha256() => MoveAsync();

    /// <summary>The same over HTTP/2, without TLS.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> Http2() => MoveAsync();

    /// <summary>The same with SHA-256 from end to end.</summary>
    [Benchmark]
    [BenchmarkCategory(WithDigest)]
    public ValueTask<long> Http2Sha256() => MoveAsync();

    /// <summary>TransferClient over tus.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> Tus() => MoveAsync();

    /// <summary>The same with SHA-256 from end to end.</summary>
    [Benchmark]
    [BenchmarkCategory(WithDigest)]
    public ValueTask<long> TusSha256() => MoveAsync();

    private async ValueTask<long> MoveAsync([CallerMemberName] string name = "")
    {
        TransferMethod method = TransferMethods.Find(name);
        _client ??= await ConnectAsync(method).ConfigureAwait(false);
        TransferResult result = Direction == TransferDirection.Download
            ? await _client.GetAsync(TransferName.Parse(Path.GetFileName(Source.Path)), _downloaded).ConfigureAwait(false)
            : await _client.PutAsync(Source.Path, TransferName.Parse(TransferFolders.UploadedName)).ConfigureAwait(false);
        if (result.Attempts != 1 || method.HasDigest != result.Sha256 is not null || result.Protocol != method.Protocol)
        {
            throw new IOException(
                $"{result.Name} took {result.Attempts} attempts over {result.Protocol} and has the digest {result.Sha256}: not what is measured.");
        }

        if (DescribesItself)
        {
            Description = result.Protocol.ToString();
        }

        return result.Length;
    }

    private async ValueTask<TransferClient> ConnectAsync(TransferMethod method)
    {
        if (Compression != TransferCompression.None && !method.HasCompression)
        {
            throw new NotSupportedException($"{method.Name} sends files as they are, and {Compression} was asked for.");
        }

        return new TransferClient(
            (await FindAsync(method).ConfigureAwait(false)).Files,
            new TransferClientOptions
            {
                Protocol = method.Protocol!.Value,
                VerifyDigests = method.HasDigest,
                Durability = Durability,
                Compression = Compression,
            });
    }

    private Task<StoreAddress> FindAsync(TransferMethod method)
    {
        var kind = new StoreKind(method.HasDigest, Durability, method.Array != MessageArray.None);
        return method.Core.HasFlag(CoreEnds.Server) ? CoreEndpoints.FindAsync(_server, Buffer)
            : Ends is { Server: { } near, Link: { } link } ? LinkEndpoints.FindAsync(near, link, kind)
            : StoreServers.FindAsync(_server, kind);
    }
}
