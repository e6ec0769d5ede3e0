using System.Runtime.Versioning;
using System.Text;

namespace Millrace.Tests.Writing;

/// <summary>The effect of a commit on the file that has the name.</summary>
[SupportedOSPlatform("linux")]
public sealed class ReplaceTests : FolderTests
{
    [Theory, EveryWriter]
    public async Task The_old_file_is_whole_until_the_commit_and_replaced_by_it(string kind)
    {
        await File.WriteAllTextAsync(Folder["file"], "old");
        await using (FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]))
        {
            await writer.WriteAsync(TestContent.Of(300_000));
            Assert.Equal("old", await File.ReadAllTextAsync(Folder["file"]));
            await writer.CommitAsync();
        }

        Assert.Equal(TestContent.Of(300_000).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
        Assert.Equal(["file"], Folder.Names);
    }

    [NeedsTheory(Need.Wine, "does not rename over an open file"), EveryWriter]
    public async Task Readers_of_the_old_file_continue_reading_it(string kind)
    {
        await File.WriteAllTextAsync(Folder["file"], "old");
        await using FilePipeReader reader = FilePipe.OpenRead(Folder["file"]);
        await using (FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]))
        {
            await writer.WriteAsync(TestContent.Of(10));
            await writer.CommitAsync();
        }

        Assert.Equal("old", Encoding.ASCII.GetString((await reader.ReadAsync()).Buffer));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Permissions_of_the_old_file_are_kept(bool portable)
    {
        await File.WriteAllTextAsync(Folder["file"], "old");
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;
        File.SetUnixFileMode(Folder["file"], Mode);
        await CommitAsync(Folder["file"], new FileWriteOptions { Portable = portable });
        Assert.Equal(Mode, File.GetUnixFileMode(Folder["file"]));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Requested_permissions_apply_from_the_first_byte(bool portable)
    {
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        await using FilePipeWriter writer = FilePipe.Create(
            Folder["file"], new FileWriteOptions { Portable = portable, UnixCreateMode = Mode });
        Assert.Equal(Mode, File.GetUnixFileMode(Path.Combine(Folder.Path, Assert.Single(Folder.Names))));
        await writer.CommitAsync();
        Assert.Equal(Mode, File.GetUnixFileMode(Folder["file"]));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_new_file_has_the_permissions_that_the_framework_gives(bool portable)
    {
        await File.WriteAllTextAsync(Folder["theirs"], "");
        await CommitAsync(Folder["ours"], new FileWriteOptions { Portable = portable });
        Assert.Equal(File.GetUnixFileMode(Folder["theirs"]), File.GetUnixFileMode(Folder["ours"]));
    }

    [NeedsFact(Need.Root | Need.Native)]
    public async Task Owner_of_the_old_file_is_kept_if_permitted()
    {
        // The framework has no call for it.
        await File.WriteAllTextAsync(Folder["file"], "old");
        Shell.Run("chown", "1234:5678", Folder["file"]);
        Shell.Run("chmod", "4755", Folder["file"]);
        await CommitAsync(Folder["file"], default);
        Assert.Equal("1234 5678 4755\n", Shell.Run("stat", "-c", "%u %g %a", Folder["file"]));
    }

    [NeedsTheory(Need.Links), EveryValue]
    public async Task Target_of_a_link_is_replaced(bool portable)
    {
        await File.WriteAllTextAsync(Folder["file"], "old");
        File.CreateSymbolicLink(Folder["link"], "file");
        await CommitAsync(Folder["link"], new FileWriteOptions { Portable = portable });
        Assert.Equal("file", new FileInfo(Folder["link"]).LinkTarget);
        Assert.Equal("new", await File.ReadAllTextAsync(Folder["file"]));
        Assert.Equal(["file", "link"], Folder.Names);
    }

    [NeedsTheory(Need.Links), EveryValue]
    public async Task Missing_target_of_a_link_is_created(bool portable)
    {
        File.CreateSymbolicLink(Folder["link"], "file");
        await CommitAsync(Folder["link"], new FileWriteOptions { Portable = portable });
        Assert.Equal("new", await File.ReadAllTextAsync(Folder["file"]));
        Assert.Equal("file", new FileInfo(Folder["link"]).LinkTarget);
    }

    [NeedsTheory(Need.Links), EveryValue]
    public async Task CreateNew_rejects_a_taken_name_at_once(bool portable)
    {
        await File.WriteAllTextAsync(Folder["file"], "old");
        File.CreateSymbolicLink(Folder["link"], "nowhere");
        Directory.CreateDirectory(Folder["folder"]);
        var options = new FileWriteOptions { CreateNew = true, Portable = portable };
        foreach (string name in new[] { "file", "link", "folder" })
        {
            Fails.With(FilePipeError.NameTaken, () => FilePipe.Create(Folder[name], options));
        }

        Assert.Equal(["file", "folder", "link"], Folder.Names);
    }

    [Theory, EveryValue]
    public async Task Name_taken_meanwhile_is_not_replaced_and_the_commit_can_be_retried(bool portable)
    {
        await using FilePipeWriter writer = FilePipe.Create(
            Folder["file"], new FileWriteOptions { CreateNew = true, Portable = portable });
        await writer.WriteAsync("new"u8.ToArray());
        await File.WriteAllTextAsync(Folder["file"], "old");
        await Fails.WithAsync(FilePipeError.NameTaken, async () => await writer.CommitAsync());
        Assert.Equal("old", await File.ReadAllTextAsync(Folder["file"]));

        File.Delete(Folder["file"]);
        await writer.CommitAsync();

        Assert.Equal("new", await File.ReadAllTextAsync(Folder["file"]));
        Assert.Equal(["file"], Folder.Names);
    }

    [NeedsFact(Need.Native)]
    public async Task One_of_many_concurrent_writers_gets_a_free_name()
    {
        // By the framework's means alone another one can come in between; documented so.
        for (int round = 0; round < 20; round++)
        {
            string path = Folder[$"file{round}"];
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

        Assert.Equal(20, Folder.Names.Length);
    }

    [NeedsFact(Need.Unix)]
    public async Task Excess_preallocation_is_released()
    {
        await using FilePipeWriter writer = FilePipe.Create(
            Folder["file"], new FileWriteOptions { PreallocationSize = 8 * 1024 * 1024 });
        if (Interop.NativeFeatures.Linux)
        {
            Assert.InRange(AllocatedKilobytes(Path.Combine(Folder.Path, Assert.Single(Folder.Names))), 8 * 1024, 9 * 1024);
        }

        await writer.WriteAsync(TestContent.Of(5000));
        await writer.CommitAsync();
        Assert.Equal(5000, new FileInfo(Folder["file"]).Length);
        Assert.InRange(AllocatedKilobytes(Folder["file"]), 1, 64);
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
