using Millrace.Transfer;

namespace Millrace.Lab.Tests.Transfers;

public sealed class PlainTransferTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ServerEnd _server;
    private readonly TestFile _file;

    public PlainTransferTests()
    {
        _server = ServerEnd.Start(_folder.Path);
        _file = TestFile.OfRandom(TransferFolders.Server(_folder.Path), 200_000);
        TestFileMaker.Write(_file, TestFileMaker.LargeWrite);
    }

    public void Dispose()
    {
        _server.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData(4096, false, false)]
    [InlineData(65536, true, false)]
    [InlineData(262144, true, true)]
    [InlineData(81920, false, true)]
    public async Task File_arrives_whole_in_both_directions(int buffer, bool withDigest, bool isDurable)
    {
        var client = new PlainClient(_server.Address, buffer, withDigest, isDurable);
        await client.DownloadAsync(_file, TransferFolders.Downloaded(_folder.Path));
        TransferContent.Verify(TransferFolders.Downloaded(_folder.Path), _file);
        await client.UploadAsync(_file, TransferFolders.UploadedName);
        TransferContent.Verify(TransferFolders.Uploaded(_folder.Path), _file);
    }

    [Theory]
    [InlineData(4096, true)]
    [InlineData(65536, false)]
    public async Task Gzip_file_arrives_unchanged_in_both_directions(int buffer, bool isDurable)
    {
        TestFile lines = TestFile.OfFirstLines(TransferFolders.Server(_folder.Path));
        TestFileMaker.Write(lines, TestFileMaker.LargeWrite);
        var client = new PlainClient(_server.Address, buffer, withDigest: false, isDurable, withGzip: true);
        await client.DownloadAsync(lines, TransferFolders.Downloaded(_folder.Path));
        TransferContent.Verify(TransferFolders.Downloaded(_folder.Path), lines);
        await client.UploadAsync(lines, TransferFolders.UploadedName);
        TransferContent.Verify(TransferFolders.Uploaded(_folder.Path), lines);
    }

    [Fact]
    public async Task Gzip_sends_a_quarter_of_the_bytes()
    {
        TestFile lines = TestFile.OfFirstLines(_folder.Path);
        TestFileMaker.Write(lines, TestFileMaker.LargeWrite);
        using var sent = new MemoryStream();
        await using FileStream file = PlainCopy.OpenRead(lines.Path, 4096);
        await PlainCopy.EncodeAsync(file, sent, 4096);
        Assert.InRange(sent.Length, lines.Bytes / 5, lines.Bytes / 3);
    }

    [Fact]
    public async Task Digest_of_what_is_copied_is_that_of_the_bytes()
    {
        byte[] bytes = await File.ReadAllBytesAsync(_file.Path);
        using var copy = new MemoryStream();
        await using FileStream file = PlainCopy.OpenRead(_file.Path, 4096);
        Assert.Equal(Sha256Digest.Compute(bytes), await PlainCopy.CopyAsync(file, copy, 4096, digest: true));
        Assert.Equal(bytes, copy.ToArray());
    }

    [NeedsTheory(Need.Linux)]
    [InlineData(nameof(TransferDirection.Download))]
    [InlineData(nameof(TransferDirection.Upload))]
    public void Raw_sockets_move_the_file_again_and_again_over_one_connection(string name)
    {
        TransferDirection direction = Enum.Parse<TransferDirection>(name);
        var planned = new TransferCase(
            Floor.Sockets, new TransferEnds(_folder.Path, _server.Address), _file, direction, 65536, Durability.None);
        using CaseMethod method = planned.Create();
        Func<long> move = method.Find(planned.Method);
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(_file.Bytes, move());
            planned.Verify();
            planned.Clear();
        }

        Assert.Throws<EndOfStreamException>(() =>
        {
            TestFile gone = _file with { Path = _folder["missing"], Bytes = 1 };
            using CaseMethod missing = (planned with { Source = gone, Direction = TransferDirection.Download }).Create();
            missing.Find(planned.Method)();
        });
    }

    [Fact]
    public async Task Missing_file_fails_the_case()
    {
        var client = new PlainClient(_server.Address, 4096, withDigest: false, isDurable: false);
        TestFile missing = _file with { Path = _folder["missing"] };
        await Assert.ThrowsAsync<HttpRequestException>(
            () => client.DownloadAsync(missing, TransferFolders.Downloaded(_folder.Path)));
    }
}
