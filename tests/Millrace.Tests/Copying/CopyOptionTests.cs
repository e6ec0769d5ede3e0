using System.Runtime.Versioning;
using System.Security.Cryptography;

namespace Millrace.Tests.Copying;

/// <summary>Each copy option, set and not set.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class CopyOptionTests : FolderTests
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

    [NeedsTheory(Need.Unix), InlineData(Secret), InlineData(Program)]
    public async Task A_new_file_has_the_permissions_that_the_umask_leaves(UnixFileMode mode)
    {
        string source = Source(Folder, mode);

        await FilePipe.CopyAsync(source, Folder["copy"], CopyFiles.Options).Soon();

        // 022, as nearly everywhere, takes nothing of these two.
        Assert.Equal(mode, File.GetUnixFileMode(Folder["copy"]));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Replaced_file_passes_on_its_permissions(bool portable)
    {
        string source = Source(Folder, Program);
        await File.WriteAllTextAsync(Folder["copy"], "old");
        File.SetUnixFileMode(Folder["copy"], Secret);

        await FilePipe.CopyAsync(source, Folder["copy"], CopyFiles.Options with { Portable = portable }).Soon();

        Assert.Equal(Secret, File.GetUnixFileMode(Folder["copy"]));
        CopyFiles.AssertSame(source, Folder["copy"]);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Preserved_permissions_are_those_of_the_source(bool portable)
    {
        const UnixFileMode Odd = Secret | UnixFileMode.GroupWrite | UnixFileMode.OtherExecute;
        string source = Source(Folder, Odd);
        await File.WriteAllTextAsync(Folder["copy"], "old");

        await FilePipe
            .CopyAsync(source, Folder["copy"], CopyFiles.Options with { PreserveMode = true, Portable = portable })
            .Soon();

        Assert.Equal(Odd, File.GetUnixFileMode(Folder["copy"]));
    }

    [NeedsFact(Need.Unix)]
    public async Task Set_user_ID_bits_are_not_preserved()
    {
        string source = Source(Folder, Program | UnixFileMode.SetUser);

        await FilePipe.CopyAsync(source, Folder["copy"], CopyFiles.Options with { PreserveMode = true }).Soon();

        Assert.Equal(Program, File.GetUnixFileMode(Folder["copy"]));
    }

    [NeedsTheory(Need.Unix)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task Preserved_times_are_those_of_the_source(bool portable, bool verify)
    {
        string source = Source(Folder, Secret);
        File.SetLastAccessTimeUtc(source, Then.AddDays(1));
        File.SetLastWriteTimeUtc(source, Then);

        await FilePipe
            .CopyAsync(source, Folder["copy"], new FileCopyOptions { PreserveTimes = true, Verify = verify, Portable = portable })
            .Soon();

        Assert.Equal(Then, File.GetLastWriteTimeUtc(Folder["copy"]));
        Assert.Equal(Then.AddDays(1), File.GetLastAccessTimeUtc(Folder["copy"]));
    }

    [NeedsFact(Need.Unix)]
    public async Task Without_PreserveTimes_the_copy_has_the_current_time()
    {
        string source = Source(Folder, Secret);
        File.SetLastWriteTimeUtc(source, Then);

        await FilePipe.CopyAsync(source, Folder["copy"], CopyFiles.Options).Soon();

        Assert.True(File.GetLastWriteTimeUtc(Folder["copy"]) > Then.AddYears(10));
    }

    [Theory, EveryValue]
    public async Task A_verified_copy_returns_its_hash(bool portable)
    {
        CopyResult copy = await FilePipe
            .CopyAsync(TestFolder.SharedFile(3_000_001), Folder["copy"], new FileCopyOptions { Verify = true, Portable = portable })
            .Soon();

        Assert.Equal(SHA256.HashData(TestContent.Of(3_000_001).Span), copy.Sha256.ToArray());
    }

    [NeedsFact(Need.Linux)]
    public async Task A_source_that_can_be_read_only_once_is_verified_too()
    {
        var fifo = new Fifo();
        ValueTask<CopyResult> copying = FilePipe.CopyAsync(fifo.Path, Folder["copy"], new FileCopyOptions { Verify = true });
        fifo.Write(TestContent.Of(60_000).Span);
        fifo.Write(TestContent.Between(60_000, 120_000).Span);
        fifo.Dispose();

        CopyResult copy = await copying.Soon();

        Assert.Equal(SHA256.HashData(TestContent.Of(120_000).Span), copy.Sha256.ToArray());
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_link_is_followed_on_both_sides(bool portable)
    {
        string source = Source(Folder, Secret);
        File.CreateSymbolicLink(Folder["from"], source);
        await File.WriteAllTextAsync(Folder["real"], "old");
        File.CreateSymbolicLink(Folder["to"], Folder["real"]);

        await FilePipe.CopyAsync(Folder["from"], Folder["to"], CopyFiles.Options with { Portable = portable }).Soon();

        Assert.Equal(Folder["real"], new FileInfo(Folder["to"]).LinkTarget);
        CopyFiles.AssertSame(source, Folder["real"]);
    }

    private static string Source(TemporaryFolder folder, UnixFileMode mode)
    {
        File.WriteAllBytes(folder["source"], TestContent.Of(100_000).ToArray());
        File.SetUnixFileMode(folder["source"], mode);
        return folder["source"];
    }
}
