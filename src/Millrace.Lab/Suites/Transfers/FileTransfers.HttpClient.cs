using BenchmarkDotNet.Attributes;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

// What one writes today without a library.
public partial class FileTransfers
{
    /// <summary>HttpClient and Kestrel, FileStreams, and CopyToAsync.</summary>
    [Benchmark(Baseline = true)]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> HttpClient() => MovePlainlyAsync(withDigest: false);

    /// <summary>The same with a digest, computed in the loop that copies, at both ends.</summary>
    [Benchmark(Baseline = true)]
    [BenchmarkCategory(WithDigest)]
    public ValueTask<long> HttpClientSha256() => MovePlainlyAsync(withDigest: true);

    private async ValueTask<long> MovePlainlyAsync(bool withDigest)
    {
        var client = new PlainClient(_server, Buffer, withDigest, IsDurable, Compression == TransferCompression.Gzip);
        if (Direction == TransferDirection.Download)
        {
            await client.DownloadAsync(Source, _downloaded).ConfigureAwait(false);
        }
        else
        {
            await client.UploadAsync(Source, TransferFolders.UploadedName).ConfigureAwait(false);
        }

        return Source.Bytes;
    }
}
