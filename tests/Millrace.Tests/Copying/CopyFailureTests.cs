namespace Millrace.Tests.Copying;

/// <summary>A copy that fails reports the reason, leaves no partial file, and keeps a file of that name.</summary>
public sealed class CopyFailureTests : FolderTests
{
    private const int Length = 3_000_001;

    public static TheoryData<string> WayNames => CopyFiles.WayNames;

    [Fact]
    public async Task Invalid_paths_are_rejected()
    {
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await FilePipe.CopyAsync(null!, "b"));
        await Assert.ThrowsAsync<ArgumentException>(async () => await FilePipe.CopyAsync("a", ""));
        await Assert.ThrowsAsync<ArgumentException>(async () => await FilePipe.CopyAsync("a\0", "b"));
    }

    [Theory, EveryValue]
    public async Task Paths_without_a_file_are_rejected_and_named(bool portable)
    {
        string source = TestFolder.SharedFile(Length);
        FilePipeException exception = await FailAsync(Folder["missing"], Folder["copy"], portable);
        Assert.Equal((FilePipeError.NotFound, Folder["missing"]), (exception.Error, exception.Path));
        exception = await FailAsync(Folder.Path, Folder["copy"], portable);
        Assert.Equal((FilePipeError.IsDirectory, Folder.Path), (exception.Error, exception.Path));
        exception = await FailAsync(source, Folder["no/copy"], portable);
        Assert.Equal(FilePipeError.NotFound, exception.Error);
        Assert.Empty(Folder.Names);
    }

    [Theory, EveryValue]
    public async Task A_folder_as_destination_is_rejected(bool portable)
    {
        Directory.CreateDirectory(Folder["sub"]);

        FilePipeException exception = await FailAsync(TestFolder.SharedFile(Length), Folder["sub"], portable);

        Assert.Equal((FilePipeError.IsDirectory, Folder["sub"]), (exception.Error, exception.Path));
        Assert.Equal(["sub"], Folder.Names);
        Assert.Empty(Directory.GetFileSystemEntries(Folder["sub"]));
    }

    [Theory, EveryValue]
    public async Task CreateNew_leaves_a_taken_name_alone(bool portable)
    {
        await File.WriteAllTextAsync(Folder["copy"], "old");

        await Fails.WithAsync(FilePipeError.NameTaken, () => FilePipe
            .CopyAsync(TestFolder.SharedFile(Length), Folder["copy"], new FileCopyOptions { CreateNew = true, Portable = portable })
            .Soon());

        Assert.Equal("old", await File.ReadAllTextAsync(Folder["copy"]));
        Assert.Equal(["copy"], Folder.Names);
    }

    [Fact]
    public async Task CreateNew_leaves_a_name_taken_meanwhile_alone()
    {
        var progress = new DoAt(_ => File.WriteAllText(Folder["copy"], "first"));

        await Fails.WithAsync(FilePipeError.NameTaken, () => FilePipe
            .CopyAsync(TestFolder.SharedFile(Length), Folder["copy"], new FileCopyOptions { CreateNew = true }, progress)
            .Soon());

        Assert.Equal("first", await File.ReadAllTextAsync(Folder["copy"]));
        Assert.Equal(["copy"], Folder.Names);
    }

    [Theory, EveryValue]
    public async Task A_file_is_not_copied_to_itself(bool portable)
    {
        await File.WriteAllTextAsync(Folder["file"], "content");

        FilePipeException exception = await FailAsync(Folder["file"], Path.Combine(Folder.Path, ".", "file"), portable);

        Assert.Equal(FilePipeError.SameFile, exception.Error);
        Assert.Equal("content", await File.ReadAllTextAsync(Folder["file"]));
    }

    [NeedsTheory(Need.Links), EveryValue]
    public async Task A_link_to_the_source_is_the_same_file(bool portable)
    {
        await File.WriteAllTextAsync(Folder["file"], "content");
        File.CreateSymbolicLink(Folder["link"], Folder["file"]);

        Assert.Equal(FilePipeError.SameFile, (await FailAsync(Folder["file"], Folder["link"], portable)).Error);
        Assert.Equal(FilePipeError.SameFile, (await FailAsync(Folder["link"], Folder["file"], portable)).Error);
        Assert.Equal("content", await File.ReadAllTextAsync(Folder["file"]));
    }

    [NeedsFact(Need.Linux)]
    public async Task A_hard_link_to_the_source_is_the_same_file()
    {
        await File.WriteAllTextAsync(Folder["file"], "content");
        Linux.MakeHardLink(Folder["file"], Folder["link"]);

        if (Interop.NativeFeatures.Linux)
        {
            Assert.Equal(FilePipeError.SameFile, (await FailAsync(Folder["file"], Folder["link"], portable: false)).Error);
        }

        Assert.Equal("content", await File.ReadAllTextAsync(Folder["link"]));
    }

    [NeedsTheory(Need.Mount), MemberData(nameof(WayNames))]
    public async Task Full_device_is_reported_with_the_offset(string ways)
    {
        // Only root may mount a device that fills up.
        using MountedDisk small = MountedDisk.InMemory(1024 * 1024);
        await File.WriteAllTextAsync(small["copy"], "old");

        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(
            () => CopyFiles.CopyAsync(TestFolder.SharedFile(Length), small["copy"], CopyFiles.Options, ways).Soon());

        Assert.Equal((FilePipeError.NoSpace, small["copy"]), (exception.Error, exception.Path));
        Assert.InRange(exception.Offset, 1, 1024 * 1024);
        Assert.Equal("old", await File.ReadAllTextAsync(small["copy"]));
        Assert.Equal(["copy"], small.Names);
    }

    [NeedsTheory(Need.Mount), MemberData(nameof(WayNames))]
    public async Task A_device_that_fills_up_during_the_kernels_copy_is_reported(string ways)
    {
        // On one device, so that the kernel copies: between two kinds of file systems it does not.
        using MountedDisk small = MountedDisk.InMemory(4 * 1024 * 1024);
        await File.WriteAllBytesAsync(small["source"], TestContent.Of(Length).ToArray());

        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(
            () => CopyFiles.CopyAsync(small["source"], small["copy"], CopyFiles.Options, ways).Soon());

        Assert.Equal((FilePipeError.NoSpace, small["copy"]), (exception.Error, exception.Path));
        Assert.Equal(["source"], small.Names);
    }

    private static async Task<FilePipeException> FailAsync(string source, string destination, bool portable) =>
        await Assert.ThrowsAsync<FilePipeException>(() => FilePipe
            .CopyAsync(source, destination, new FileCopyOptions { Portable = portable })
            .Soon());
}
