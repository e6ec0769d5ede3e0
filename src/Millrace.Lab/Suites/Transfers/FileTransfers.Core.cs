using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.GrpcCore;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

// The same service with gRPC's C++ core at one end or both, as an application writes it with generated code.
public partial class FileTransfers
{
    // Found by the first invocation of a method whose client is C++.
    private string? _coreServer;

    /// <summary>The C++ client, and Millrace's server.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcCoreClient() => MoveByCoreAsync();

    /// <summary>Millrace's client, and the C++ server.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcCoreServer() => MoveAsync();

    /// <summary>C++ at both ends.</summary>
    [Benchmark]
    [BenchmarkCategory(WithoutDigest)]
    public ValueTask<long> GrpcCore() => MoveByCoreAsync();

    private async ValueTask<long> MoveByCoreAsync([CallerMemberName] string name = "")
    {
        TransferMethod method = TransferMethods.Find(name);
        if (_coreServer is null)
        {
            string address = (await FindAsync(method).ConfigureAwait(false)).Http2;
            CoreClient.Acquire(CoreProgram.PathIn(TransferFolders.DataOf(Ends.Folder)));
            _coreServer = address;
        }

        string coding = Compression == TransferCompression.None ? TransfersPlan.None : TransfersPlan.Gzip;
        return Direction == TransferDirection.Download
            ? await CoreClient.MoveAsync(
                TransfersPlan.Download, _coreServer, Path.GetFileName(Source.Path), _downloaded, Buffer, coding).ConfigureAwait(false)
            : await CoreClient.MoveAsync(
                TransfersPlan.Upload, _coreServer, TransferFolders.UploadedName, Source.Path, Buffer, coding).ConfigureAwait(false);
    }
}
