using BenchmarkDotNet.Attributes;
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
    public ValueTask<long> Http1() => MoveAsync(TransferWire.Http1, withDigest: false);

    /// <summary>The same with SHA-256 from end to end.</summary>
    [Benchmark]
    [BenchmarkCategory(WithDigest)]
    public ValueTask<long> Http1Sha256() => MoveAsync(TransferWire.Http1, withDigest: true);

    /// <summary>TransferClient over tus.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> Tus() => MoveAsync(TransferWire.Tus, withDigest: false);

    /// <summary>The same with SHA-256 from end to end.</summary>
    [Benchmark]
    [BenchmarkCategory(WithDigest)]
    public ValueTask<long> TusSha256() => MoveAsync(TransferWire.Tus, withDigest: true);

    private async ValueTask<long> MoveAsync(TransferWire wire, bool withDigest)
    {
        _client ??= new TransferClient(
            await StoreServers.FindAsync(_server, withDigest, Durability).ConfigureAwait(false),
            new TransferClientOptions { Wire = wire, VerifyDigests = withDigest, Durability = Durability });
        TransferResult result = Direction == TransferDirection.Download
            ? await _client.GetAsync(TransferName.Parse(Path.GetFileName(Source.Path)), _downloaded).ConfigureAwait(false)
            : await _client.PutAsync(Source.Path, TransferName.Parse(TransferFolders.UploadedName)).ConfigureAwait(false);
        if (result.Attempts != 1 || withDigest != result.Sha256 is not null)
        {
            throw new IOException(
                $"{result.Name} took {result.Attempts} attempts and has the digest {result.Sha256}: not what is measured.");
        }

        if (DescribesItself)
        {
            Description = result.Wire.ToString();
        }

        return result.Length;
    }
}
