namespace Millrace.Cli.Tests;

/// <summary>Files that pass through once leave the page cache as it was: shares, as the kernel also evicts pages.</summary>
public sealed class NoCacheTests : CommandTests
{
    private const int Length = 20_000_000;

    [NeedsFact(Need.Native)]
    public async Task Scan_and_copy_leave_no_pages()
    {
        Write("one.bin", Length);
        await AssertAsync(kept: false, "scan", "one.bin", "--no-cache");
        await AssertAsync(kept: true, "scan", "one.bin");
        await AssertAsync(kept: false, "copy", "one.bin", "copy.bin", "--no-cache", "--no-reflink");
        Assert.InRange(PageResidence.ShareOf(Folder["copy.bin"]), 0, 0.02);
    }

    [NeedsTheory(Need.Native)]
    [InlineData("http1")]
    [InlineData("tus")]
    [InlineData("grpc")]
    public async Task Transfers_leave_no_pages_at_either_end(string via)
    {
        byte[] content = Write("one.bin", Length);
        using ServedCommand server = await ServeAsync("served", "--max-cached", "1M");

        await AssertAsync(kept: false, "put", "one.bin", server.Files, "--no-cache", "--via", via);
        Assert.InRange(PageResidence.ShareOf(Folder["served/one.bin"]), 0, 0.02);

        await AssertAsync(kept: false, "get", server.Files + "one.bin", "got.bin", "--no-cache", "--via", via);
        Assert.InRange(PageResidence.ShareOf(Folder["served/one.bin"]), 0, 0.02);
        Assert.InRange(PageResidence.ShareOf(Folder["got.bin"]), 0, 0.02);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["got.bin"]));
    }

    private async Task AssertAsync(bool kept, params string[] arguments)
    {
        PageResidence.Evict(Folder["one.bin"]);
        await SucceedAsync(arguments);
        Assert.InRange(PageResidence.ShareOf(Folder["one.bin"]), kept ? 0.5 : 0, kept ? 1 : 0.02);
    }
}
