using System.Runtime.Versioning;
using System.Text;

namespace Millrace.Tests.Writing;

/// <summary>What a commit does to what has the name.</summary>
[SupportedOSPlatform("linux")]
public sealed class ReplaceTests
{
    [Theory, EveryWriter]
    public async Task The_old_file_is_whole_until_the_commit_and_replaced_by_it(string kind)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "old");
        await using (FilePipeWriter writer = WriterKind.Of(kind).Create(folder["file"]))
        {
            await writer.WriteAsync(TestContent.Of(300_000));
            Assert.Equal("old", await File.ReadAllTextAsync(folder["file"]));
            await writer.CommitAsync();
        }

        Assert.Equal(TestContent.Of(300_000).ToArray(), await File.ReadAllBytesAsync(folder["file"]));
        Assert.Equal(["file"], folder.Names);
    }

    [Theory, EveryWriter]
    public async Task Readers_of_the_old_file_continue_reading_it(string kind)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "old");
        await using FilePipeReader reader = FilePipe.OpenRead(folder["file"]);
        await using (FilePipeWriter writer = WriterKind.Of(kind).Create(folder["file"]))
        {
            await writer.WriteAsync(TestContent.Of(10));
            await writer.CommitAsync();
        }

        Assert.Equal("old", Encoding.ASCII.GetString((await reader.ReadAsync()).Buffer));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Permissions_of_the_old_file_are_kept(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "old");
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;
        File.SetUnixFileMode(folder["file"], Mode);
        await CommitAsync(folder["file"], new FileWriteOptions { Portable = portable });
        Assert.Equal(Mode, File.GetUnixFileMode(folder["file"]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Requested_permissions_apply_from_the_first_byte(bool portable)
    {
        using var folder = new TemporaryFolder();
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        await using FilePipeWriter writer = FilePipe.Create(
            folder["file"], new FileWriteOptions { Portable = portable, UnixCreateMode = Mode });
        Assert.Equal(Mode, File.GetUnixFileMode(Path.Combine(folder.Path, Assert.Single(folder.Names))));
        await writer.CommitAsync();
        Assert.Equal(Mode, File.GetUnixFileMode(folder["file"]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_new_file_has_the_permissions_that_the_framework_gives(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["theirs"], "");
        await CommitAsync(folder["ours"], new FileWriteOptions { Portable = portable });
        Assert.Equal(File.GetUnixFileMode(folder["theirs"]), File.GetUnixFileMode(folder["ours"]));
    }

    [NeedsFact(Need.Root | Need.Native)]
    public async Task Owner_of_the_old_file_is_kept_if_permitted()
    {
        // The framework has no call for it.
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "old");
        Shell.Run("chown", "1234:5678", folder["file"]);
        Shell.Run("chmod", "4755", folder["file"]);
        await CommitAsync(folder["file"], default);
        Assert.Equal("1234 5678 4755\n", Shell.Run("stat", "-c", "%u %g %a", folder["file"]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Target_of_a_link_is_replaced(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "old");
        File.CreateSymbolicLink(folder["link"], "file");
        await CommitAsync(folder["link"], new FileWriteOptions { Portable = portable });
        Assert.Equal("file", new FileInfo(folder["link"]).LinkTarget);
        Assert.Equal("new", await File.ReadAllTextAsync(folder["file"]));
        Assert.Equal(["file", "link"], folder.Names);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Missing_target_of_a_link_is_created(bool portable)
    {
        using var folder = new TemporaryFolder();
        File.CreateSymbolicLink(folder["link"], "file");
        await CommitAsync(folder["link"], new FileWriteOptions { Portable = portable });
        Assert.Equal("new", await File.ReadAllTextAsync(folder["file"]));
        Assert.Equal("file", new FileInfo(folder["link"]).LinkTarget);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task CreateNew_rejects_a_taken_name_at_once(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "old");
        File.CreateSymbolicLink(folder["link"], "nowhere");
        Directory.CreateDirectory(folder["folder"]);
        foreach (string name in new[] { "file", "link", "folder" })
        {
            FilePipeException taken = Assert.Throws<FilePipeException>(
                () => FilePipe.Create(folder[name], new FileWriteOptions { CreateNew = true, Portable = portable }));
            Assert.Equal(FilePipeError.NameTaken, taken.Error);
        }

        Assert.Equal(["file", "folder", "link"], folder.Names);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Name_taken_meanwhile_is_not_replaced_and_the_commit_can_be_retried(bool portable)
    {
        using var folder = new TemporaryFolder();
        await using FilePipeWriter writer = FilePipe.Create(
            folder["file"], new FileWriteOptions { CreateNew = true, Portable = portable });
        await writer.WriteAsync("new"u8.ToArray());
        await File.WriteAllTextAsync(folder["file"], "old");
        FilePipeException taken = await Assert.ThrowsAsync<FilePipeException>(async () => await writer.CommitAsync());
        Assert.Equal(FilePipeError.NameTaken, taken.Error);
        Assert.Equal("old", await File.ReadAllTextAsync(folder["file"]));

        File.Delete(folder["file"]);
        await writer.CommitAsync();

        Assert.Equal("new", await File.ReadAllTextAsync(folder["file"]));
        Assert.Equal(["file"], folder.Names);
    }

    [NeedsFact(Need.Native)]
    public async Task One_of_many_concurrent_writers_gets_a_free_name()
    {
        // By the framework's means alone another one can come in between; documented so.
        using var folder = new TemporaryFolder();
        for (int round = 0; round < 20; round++)
        {
            string path = folder[$"file{round}"];
            FilePipeWriter[] writers =
                [.. Enumerable.Range(0, 8).Select(_ => FilePipe.Create(path, new FileWriteOptions { CreateNew = true, Durability = Durability.None }))];
            FilePipeError?[] outcomes = await Task.WhenAll(writers.Select((writer, i) => Task.Run(async () =>
            {
                await using (writer)
                {
                    await writer.WriteAsync(new[] { (byte)i });
                    return (await Record.ExceptionAsync(async () => await writer.CommitAsync()) as FilePipeException)?.Error;
                }
            })));
            int winner = Assert.Single(Enumerable.Range(0, 8), i => outcomes[i] is null);
            Assert.Equal([(byte)winner], await File.ReadAllBytesAsync(path));
            Assert.All(outcomes.Where(outcome => outcome is not null), outcome => Assert.Equal(FilePipeError.NameTaken, outcome));
        }

        Assert.Equal(20, folder.Names.Length);
    }

    [Fact]
    public async Task Excess_preallocation_is_released()
    {
        using var folder = new TemporaryFolder();
        await using FilePipeWriter writer = FilePipe.Create(
            folder["file"], new FileWriteOptions { PreallocationSize = 8 * 1024 * 1024 });
        if (Interop.NativeFeatures.Linux)
        {
            Assert.InRange(AllocatedKilobytes(Path.Combine(folder.Path, Assert.Single(folder.Names))), 8 * 1024, 9 * 1024);
        }

        await writer.WriteAsync(TestContent.Of(5000));
        await writer.CommitAsync();
        Assert.Equal(5000, new FileInfo(folder["file"]).Length);
        Assert.InRange(AllocatedKilobytes(folder["file"]), 1, 64);
    }

    private static int AllocatedKilobytes(string path) =>
        int.Parse(Shell.Run("du", "-k", path).Split('\t')[0], System.Globalization.CultureInfo.InvariantCulture);

    private static async Task CommitAsync(string path, FileWriteOptions options)
    {
        await using FilePipeWriter writer = FilePipe.Create(path, options);
        await writer.WriteAsync("new"u8.ToArray());
        await writer.CommitAsync();
    }
}
