using System.Runtime.Versioning;

namespace Millrace.Tests.Writing;

/// <summary>The access list of a file that replaces another one, or that comes from another folder.</summary>
[SupportedOSPlatform("linux")]
public sealed class AccessListTests : FolderTests
{
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    [NeedsFact(Need.Native)]
    public async Task Replaced_file_keeps_its_access_list()
    {
        AccessLists.Set(Folder.Write("file", [1]));
        string before = Describe("file");
        await CommitAsync(FilePipe.Create(Folder["file"]));
        Assert.Equal(before, Describe("file"));

        Folder.Write("part", [1]);
        await CommitAsync(FilePipe.Resume(Folder["part"], Folder["file"]));
        Assert.Equal(before, Describe("file"));

        await FilePipe.CopyAsync(Folder.Write("other", [1]), Folder["file"]);
        Assert.Equal(before, Describe("file"));
    }

    [NeedsFact(Need.Native)]
    public async Task Nobody_gets_the_permissions_of_the_mask_while_a_file_is_replaced()
    {
        AccessLists.Set(Folder.Write("file", [1]));
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"]);
        string staged = Assert.Single(Folder.Names, static name => name != "file");
        Assert.Equal(AccessLists.Get(Folder["file"]), AccessLists.Get(Folder[staged]));
    }

    [NeedsFact(Need.Native)]
    public async Task Replaced_file_without_an_access_list_gets_none_from_its_folder()
    {
        Folder.Write("file", [1]);
        File.SetUnixFileMode(Folder["file"], Owner | UnixFileMode.GroupRead);
        AccessLists.SetDefault(Folder.Path);
        await CommitAsync(FilePipe.Create(Folder["file"]));
        Assert.Equal(("", Owner | UnixFileMode.GroupRead), (AccessLists.Get(Folder["file"]), File.GetUnixFileMode(Folder["file"])));
    }

    [NeedsTheory(Need.Native), EveryValue]
    public async Task Copy_gives_a_group_no_more_than_the_source_does(bool preserve)
    {
        AccessLists.Set(Folder.Write("file", [1]));
        await FilePipe.CopyAsync(Folder["file"], Folder["copy"], new FileCopyOptions { PreserveMode = preserve });
        Assert.Equal(Owner, File.GetUnixFileMode(Folder["copy"]));
    }

    [NeedsFact(Need.Root | Need.Native)]
    public async Task File_from_another_folder_gets_what_a_new_file_gets()
    {
        string target = Directory.CreateDirectory(Folder["target"]).FullName;
        Shell.Run("chgrp", "5678", target);
        Shell.Run("chmod", "2770", target);
        await CompareAsync(default);
        await CompareAsync(new FileWriteOptions { UnixCreateMode = Owner | UnixFileMode.GroupRead });
        AccessLists.SetDefault(target);
        await CompareAsync(default);
        await CompareAsync(new FileWriteOptions { UnixCreateMode = Owner | UnixFileMode.GroupRead });
        Assert.Equal(2, Directory.GetFileSystemEntries(target).Length);

        async Task CompareAsync(FileWriteOptions options)
        {
            File.Delete(Folder["target/new"]);
            File.Delete(Folder["target/resumed"]);
            await CommitAsync(FilePipe.Create(Folder["target/new"], options));
            await CommitAsync(FilePipe.Resume(Folder["part"], Folder["target/resumed"], options));
            Assert.Equal(Describe("target/new"), Describe("target/resumed"));
        }
    }

    [NeedsFact(Need.Root | Need.Native)]
    public void Group_that_cannot_be_kept_gives_its_permissions_to_no_other()
    {
        File.SetUnixFileMode(Folder.Path, (UnixFileMode)0x1FF);
        Folder.Write("file", [1]);
        Shell.Run("chown", "1234:5678", Folder["file"]);
        Shell.Run("chmod", "4664", Folder["file"]);
        var thread = new Thread(() =>
        {
            _ = Linux.UseFilesAs(65534);
            using FilePipeWriter writer = FilePipe.Create(Folder["file"]);
            writer.Commit();
        });
        thread.Start();
        thread.Join();
        Assert.Equal("65534 0 644\n", Shell.Run("stat", "-c", "%u %g %a", Folder["file"]));
    }

    private string Describe(string name) => Shell.Run("stat", "-c", "%u %g %a", Folder[name]) + AccessLists.Get(Folder[name]);

    private static async Task CommitAsync(FilePipeWriter writer)
    {
        await using (writer)
        {
            await writer.WriteAsync("new"u8.ToArray());
            await writer.CommitAsync();
        }
    }
}
