using Millrace.Transfer;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>The rows with an array for every message, between a client and a server in this process.</summary>
public sealed class ArrayTransferTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ServerEnd _server;

    public ArrayTransferTests() => _server = ServerEnd.Start(_folder.Path);

    public void Dispose()
    {
        _server.Dispose();
        _folder.Dispose();
    }

    public static TheoryData<string, int, TransferCompression> Rows()
    {
        var rows = new TheoryData<string, int, TransferCompression>();
        foreach (TransferMethod method in TransferMethod.All.Where(method => method.Array != MessageArray.None))
        {
            foreach (int buffer in TransfersSuite.FullBuffers)
            {
                rows.Add(method.Name, buffer, TransferCompression.None);
                rows.Add(method.Name, buffer, TransferCompression.Gzip);
            }
        }

        return rows;
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task File_is_the_same_after_a_round_trip(string row, int buffer, TransferCompression compression)
    {
        // Longer than one part of an upload over gRPC-Web.
        TestFile file = TestFile.OfRandom(TransferFolders.Server(_folder.Path), 9_000_001);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        TransferMethod method = TransferMethod.Find(row);
        var kind = new StoreKind(WithDigest: false, Durability.None, OfArrays: true);
        StoreAddress address = await StoreServers.FindAsync(_server.Address, kind);
        var client = new ArrayClient(
            address, method.Protocol!.Value, method.Array, buffer, compression == TransferCompression.Gzip, Durability.None);

        await client.DownloadAsync(file, TransferFolders.Downloaded(_folder.Path));
        await client.UploadAsync(file, TransferFolders.UploadedName);

        TransferContent.Verify(TransferFolders.Downloaded(_folder.Path), file);
        TransferContent.Verify(
            Path.Combine(TransferFolders.Store(_folder.Path, kind, ServerEnd.Here), TransferFolders.UploadedName), file);
    }
}
