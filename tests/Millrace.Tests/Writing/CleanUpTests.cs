using Millrace.Interop;

namespace Millrace.Tests.Writing;

/// <summary>The files that killed writers leave, and those that are never touched.</summary>
public sealed class CleanUpTests : FolderTests
{
    [Fact]
    public async Task Leftovers_are_removed_and_files_being_written_are_not()
    {
        string leftover = StagedName.Next();
        await File.WriteAllTextAsync(Folder[leftover], "half a file");
        await using FilePipeWriter alive = FilePipe.Create(Folder["file"]);
        await alive.WriteAsync(new byte[10]);
        Assert.Equal(1, FilePipe.CleanUp(Folder.Path));
        Assert.Equal(0, FilePipe.CleanUp(Folder.Path));
        await alive.CommitAsync();
        Assert.Equal(["file"], Folder.Names);
    }

    [Fact]
    public async Task A_file_that_is_being_written_portably_is_not_removed()
    {
        await using FilePipeWriter alive = FilePipe.Create(Folder["file"], new FileWriteOptions { Portable = true });
        Assert.Equal(0, FilePipe.CleanUp(Folder.Path));
        await alive.CommitAsync();
        Assert.Equal(["file"], Folder.Names);
    }

    [NeedsFact(Need.Unix)]
    public void Leftover_link_is_removed_and_what_it_leads_to_is_not()
    {
        File.WriteAllText(Folder["file"], "the user's own");
        Directory.CreateDirectory(Folder["folder"]);
        foreach (string target in (string[])["file", "folder", "nothing"])
        {
            File.CreateSymbolicLink(Folder[StagedName.Next()], target);
        }

        Assert.Equal(3, FilePipe.CleanUp(Folder.Path));
        Assert.Equal(["file", "folder"], Folder.Names);
    }

    [NeedsFact(Need.Links)]
    public void Nothing_else_is_ever_removed()
    {
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
            File.WriteAllText(Folder[other], "the user's own");
        }

        Directory.CreateDirectory(Folder[StagedName.Next()]);
        File.CreateSymbolicLink(Folder[name + "-link"], Folder["report.tmp"]);
        int before = Folder.Names.Length;
        Assert.Equal(0, FilePipe.CleanUp(Folder.Path));
        Assert.Equal(before, Folder.Names.Length);
    }

    [Fact]
    public void Subfolders_are_not_searched()
    {
        string inner = Path.Combine(Directory.CreateDirectory(Folder["inner"]).FullName, StagedName.Next());
        File.WriteAllText(inner, "");
        Assert.Equal(0, FilePipe.CleanUp(Folder.Path));
        Assert.True(File.Exists(inner));
    }

    [Fact]
    public void Missing_folder_is_an_error()
    {
        Fails.With(FilePipeError.NotFound, () => FilePipe.CleanUp(TestFolder.NewPath(".folder")));
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
