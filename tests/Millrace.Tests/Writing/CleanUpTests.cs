using Millrace.Writing;

namespace Millrace.Tests.Writing;

/// <summary>What killed writers leave, and what is never touched.</summary>
public sealed class CleanUpTests
{
    [Fact]
    public async Task Leftovers_are_removed_and_files_being_written_are_not()
    {
        using var folder = new TemporaryFolder();
        string leftover = StagedName.Next();
        await File.WriteAllTextAsync(folder[leftover], "half a file");
        await using FilePipeWriter alive = FilePipe.Create(folder["file"]);
        await alive.WriteAsync(new byte[10]);
        Assert.Equal(1, FilePipe.CleanUp(folder.Path));
        Assert.Equal(0, FilePipe.CleanUp(folder.Path));
        await alive.CommitAsync();
        Assert.Equal(["file"], folder.Names);
    }

    [Fact]
    public async Task A_file_that_is_being_written_portably_is_not_removed()
    {
        using var folder = new TemporaryFolder();
        await using FilePipeWriter alive = FilePipe.Create(folder["file"], new FileWriteOptions { Portable = true });
        Assert.Equal(0, FilePipe.CleanUp(folder.Path));
        await alive.CommitAsync();
        Assert.Equal(["file"], folder.Names);
    }

    [Fact]
    public void Nothing_else_is_ever_removed()
    {
        using var folder = new TemporaryFolder();
        string name = StagedName.Next();
        char last = name[^5] == '0' ? '1' : '0';
        string[] others =
        [
            name[..^5] + last + ".tmp", // the digits do not follow from the others
            name.ToUpperInvariant(),
            name + ".tmp",
            "x" + name,
            name[1..],
            ".millrace-.tmp",
            ".millrace-backup.tmp",
            "report.tmp",
        ];
        foreach (string other in others)
        {
            File.WriteAllText(folder[other], "the user's own");
        }

        Directory.CreateDirectory(folder[StagedName.Next()]);
        File.CreateSymbolicLink(folder[StagedName.Next()], folder["report.tmp"]);
        int before = folder.Names.Length;
        Assert.Equal(0, FilePipe.CleanUp(folder.Path));
        Assert.Equal(before, folder.Names.Length);
    }

    [Fact]
    public void Subfolders_are_not_searched()
    {
        using var folder = new TemporaryFolder();
        string inner = Path.Combine(Directory.CreateDirectory(folder["inner"]).FullName, StagedName.Next());
        File.WriteAllText(inner, "");
        Assert.Equal(0, FilePipe.CleanUp(folder.Path));
        Assert.True(File.Exists(inner));
    }

    [Fact]
    public void Missing_folder_is_an_error()
    {
        FilePipeException missing = Assert.Throws<FilePipeException>(() => FilePipe.CleanUp(TestFolder.NewPath(".folder")));
        Assert.Equal(FilePipeError.NotFound, missing.Error);
    }

    [Fact]
    public void Staged_names_are_recognised()
    {
        for (int i = 0; i < 1000; i++)
        {
            string name = StagedName.Next();
            Assert.True(StagedName.Is(name));
            Assert.Equal(38, name.Length);
        }
    }
}
