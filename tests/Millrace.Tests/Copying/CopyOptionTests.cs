using System.Runtime.Versioning;
using System.Security.Cryptography;

namespace Millrace.Tests.Copying;

/// <summary>Each copy option, set and not set.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class CopyOptionTests
{
    private const UnixFileMode Secret = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode Program = Secret | UnixFileMode.UserExecute | UnixFileMode.GroupRead
        | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    private static readonly DateTime Then = new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc).AddTicks(1_234_567);

    [Fact]
    public void Defaults_are_pinned()
    {
        FileCopyOptions options = default;

        Assert.Equal(Durability.OnCommit, options.Durability);
        Assert.False(options.CreateNew || options.PreserveMode || options.PreserveTimes);
        Assert.False(options.Verify || options.NoReflink || options.Portable);
    }

    [Fact]
    public void An_unknown_durability_is_rejected() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileCopyOptions { Durability = (Durability)99 });

    [Theory, InlineData(Secret), InlineData(Program)]
    public async Task A_new_file_has_the_permissions_that_the_umask_leaves(UnixFileMode mode)
    {
        using var folder = new TemporaryFolder();
        string source = Source(folder, mode);

        await FilePipe.CopyAsync(source, folder["copy"], CopyFiles.Options).Soon();

        // 022, as nearly everywhere, takes nothing of these two.
        Assert.Equal(mode, File.GetUnixFileMode(folder["copy"]));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Replaced_file_passes_on_its_permissions(bool portable)
    {
        using var folder = new TemporaryFolder();
        string source = Source(folder, Program);
        await File.WriteAllTextAsync(folder["copy"], "old");
        File.SetUnixFileMode(folder["copy"], Secret);

        await FilePipe.CopyAsync(source, folder["copy"], CopyFiles.Options with { Portable = portable }).Soon();

        Assert.Equal(Secret, File.GetUnixFileMode(folder["copy"]));
        CopyFiles.AssertSame(source, folder["copy"]);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Preserved_permissions_are_those_of_the_source(bool portable)
    {
        const UnixFileMode Odd = Secret | UnixFileMode.GroupWrite | UnixFileMode.OtherExecute;
        using var folder = new TemporaryFolder();
        string source = Source(folder, Odd);
        await File.WriteAllTextAsync(folder["copy"], "old");

        await FilePipe
            .CopyAsync(source, folder["copy"], CopyFiles.Options with { PreserveMode = true, Portable = portable })
            .Soon();

        Assert.Equal(Odd, File.GetUnixFileMode(folder["copy"]));
    }

    [Fact]
    public async Task Set_user_ID_bits_are_not_preserved()
    {
        using var folder = new TemporaryFolder();
        string source = Source(folder, Program | UnixFileMode.SetUser);

        await FilePipe.CopyAsync(source, folder["copy"], CopyFiles.Options with { PreserveMode = true }).Soon();

        Assert.Equal(Program, File.GetUnixFileMode(folder["copy"]));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task Preserved_times_are_those_of_the_source(bool portable, bool verify)
    {
        using var folder = new TemporaryFolder();
        string source = Source(folder, Secret);
        File.SetLastAccessTimeUtc(source, Then.AddDays(1));
        File.SetLastWriteTimeUtc(source, Then);

        await FilePipe
            .CopyAsync(source, folder["copy"], new FileCopyOptions { PreserveTimes = true, Verify = verify, Portable = portable })
            .Soon();

        Assert.Equal(Then, File.GetLastWriteTimeUtc(folder["copy"]));
        Assert.Equal(Then.AddDays(1), File.GetLastAccessTimeUtc(folder["copy"]));
    }

    [Fact]
    public async Task Without_PreserveTimes_the_copy_has_the_current_time()
    {
        using var folder = new TemporaryFolder();
        string source = Source(folder, Secret);
        File.SetLastWriteTimeUtc(source, Then);

        await FilePipe.CopyAsync(source, folder["copy"], CopyFiles.Options).Soon();

        Assert.True(File.GetLastWriteTimeUtc(folder["copy"]) > Then.AddYears(10));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_verified_copy_returns_its_hash(bool portable)
    {
        using var folder = new TemporaryFolder();

        CopyResult copy = await FilePipe
            .CopyAsync(TestFolder.SharedFile(3_000_001), folder["copy"], new FileCopyOptions { Verify = true, Portable = portable })
            .Soon();

        Assert.Equal(SHA256.HashData(TestContent.Of(3_000_001).Span), copy.Sha256.ToArray());
    }

    [Fact]
    public async Task A_source_that_can_be_read_only_once_is_verified_too()
    {
        using var folder = new TemporaryFolder();
        var fifo = new Fifo();
        ValueTask<CopyResult> copying = FilePipe.CopyAsync(fifo.Path, folder["copy"], new FileCopyOptions { Verify = true });
        fifo.Write(TestContent.Of(60_000).Span);
        fifo.Write(TestContent.Between(60_000, 120_000).Span);
        fifo.Dispose();

        CopyResult copy = await copying.Soon();

        Assert.Equal(SHA256.HashData(TestContent.Of(120_000).Span), copy.Sha256.ToArray());
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_link_is_followed_on_both_sides(bool portable)
    {
        using var folder = new TemporaryFolder();
        string source = Source(folder, Secret);
        File.CreateSymbolicLink(folder["from"], source);
        await File.WriteAllTextAsync(folder["real"], "old");
        File.CreateSymbolicLink(folder["to"], folder["real"]);

        await FilePipe.CopyAsync(folder["from"], folder["to"], CopyFiles.Options with { Portable = portable }).Soon();

        Assert.Equal(folder["real"], new FileInfo(folder["to"]).LinkTarget);
        CopyFiles.AssertSame(source, folder["real"]);
    }

    private static string Source(TemporaryFolder folder, UnixFileMode mode)
    {
        File.WriteAllBytes(folder["source"], TestContent.Of(100_000).ToArray());
        File.SetUnixFileMode(folder["source"], mode);
        return folder["source"];
    }
}
