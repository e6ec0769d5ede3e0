using Millrace.Transfer;

namespace Millrace.Lab.Tests.Transfers;

[Trait("Tier", "All")]
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

    public static TheoryData<string> Rows =>
        [.. TransferMethod.All.Where(method => method.Array != MessageArray.None).Select(method => method.Name)];

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task File_is_the_same_after_a_round_trip(string row)
    {
        // Longer than one part of an upload over gRPC-Web.
        TestFile file = TestFile.OfRandom(TransferFolders.Server(_folder.Path), 9_000_001);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        TransferMethod method = TransferMethod.Find(row);
        var kind = new StoreKind(WithDigest: false, Durability.None, OfArrays: true);
        string uploaded = Path.Combine(TransferFolders.Store(_folder.Path, kind, ServerEnd.Here), TransferFolders.UploadedName);
        StoreAddress address = await StoreServers.FindAsync(_server.Address, kind);
        foreach ((int buffer, bool gzip) in
            from buffer in TransfersSuite.FullBuffers from gzip in new[] { false, true } select (buffer, gzip))
        {
            var client = new ArrayClient(address, method.Protocol!.Value, method.Array, buffer, gzip, Durability.None);
            await client.DownloadAsync(file, TransferFolders.Downloaded(_folder.Path));
            await client.UploadAsync(file, TransferFolders.UploadedName);
            TransferContent.Verify(TransferFolders.Downloaded(_folder.Path), file);
            TransferContent.Verify(uploaded, file);
            File.Delete(TransferFolders.Downloaded(_folder.Path));
            File.Delete(uploaded);
        }
    }
}
