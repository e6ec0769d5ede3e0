namespace Millrace.Tests.Copying;

/// <summary>A copy that cannot be made says why, leaves nothing behind, and what had the name as it was.</summary>
public sealed class CopyFailureTests
{
    private const int Length = 3_000_001;

    public static TheoryData<string, string> Ways => CopyFiles.Ways;

    [Fact]
    public async Task Invalid_paths_are_rejected()
    {
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await FilePipe.CopyAsync(null!, "b"));
        await Assert.ThrowsAsync<ArgumentException>(async () => await FilePipe.CopyAsync("a", ""));
        await Assert.ThrowsAsync<ArgumentException>(async () => await FilePipe.CopyAsync("a\0", "b"));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Missing_source_is_named(bool portable)
    {
        using var folder = new TemporaryFolder();

        FilePipeException exception = await FailAsync(folder["missing"], folder["copy"], portable);

        Assert.Equal((FilePipeError.NotFound, folder["missing"]), (exception.Error, exception.Path));
        Assert.Empty(folder.Names);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_folder_as_source_is_rejected(bool portable)
    {
        using var folder = new TemporaryFolder();

        FilePipeException exception = await FailAsync(folder.Path, folder["copy"], portable);

        Assert.Equal((FilePipeError.IsDirectory, folder.Path), (exception.Error, exception.Path));
        Assert.Empty(folder.Names);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_folder_as_destination_is_rejected(bool portable)
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder["sub"]);

        FilePipeException exception = await FailAsync(TestFolder.SharedFile(Length), folder["sub"], portable);

        Assert.Equal((FilePipeError.IsDirectory, folder["sub"]), (exception.Error, exception.Path));
        Assert.Equal(["sub"], folder.Names);
        Assert.Empty(Directory.GetFileSystemEntries(folder["sub"]));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Missing_folder_is_reported(bool portable)
    {
        using var folder = new TemporaryFolder();

        FilePipeException exception = await FailAsync(
            TestFolder.SharedFile(Length), Path.Combine(folder.Path, "no", "copy"), portable);

        Assert.Equal(FilePipeError.NotFound, exception.Error);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task CreateNew_leaves_a_taken_name_alone(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["copy"], "old");

        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(() => FilePipe
            .CopyAsync(TestFolder.SharedFile(Length), folder["copy"], new FileCopyOptions { CreateNew = true, Portable = portable })
            .Soon());

        Assert.Equal(FilePipeError.NameTaken, exception.Error);
        Assert.Equal("old", await File.ReadAllTextAsync(folder["copy"]));
        Assert.Equal(["copy"], folder.Names);
    }

    [Fact]
    public async Task CreateNew_leaves_a_name_taken_meanwhile_alone()
    {
        using var folder = new TemporaryFolder();
        var progress = new DoAt(_ => File.WriteAllText(folder["copy"], "first"));

        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(() => FilePipe
            .CopyAsync(TestFolder.SharedFile(Length), folder["copy"], new FileCopyOptions { CreateNew = true }, progress)
            .Soon());

        Assert.Equal(FilePipeError.NameTaken, exception.Error);
        Assert.Equal("first", await File.ReadAllTextAsync(folder["copy"]));
        Assert.Equal(["copy"], folder.Names);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_file_is_not_copied_to_itself(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "content");

        FilePipeException exception = await FailAsync(folder["file"], Path.Combine(folder.Path, ".", "file"), portable);

        Assert.Equal(FilePipeError.SameFile, exception.Error);
        Assert.Equal("content", await File.ReadAllTextAsync(folder["file"]));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_link_to_the_source_is_the_source(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "content");
        File.CreateSymbolicLink(folder["link"], folder["file"]);

        Assert.Equal(FilePipeError.SameFile, (await FailAsync(folder["file"], folder["link"], portable)).Error);
        Assert.Equal(FilePipeError.SameFile, (await FailAsync(folder["link"], folder["file"], portable)).Error);
        Assert.Equal("content", await File.ReadAllTextAsync(folder["file"]));
    }

    [Fact]
    public async Task A_hard_link_to_the_source_is_the_source_if_there_are_inode_numbers()
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "content");
        LinuxLinks.MakeHardLink(folder["file"], folder["link"]);

        if (Interop.NativeFeatures.Linux)
        {
            Assert.Equal(FilePipeError.SameFile, (await FailAsync(folder["file"], folder["link"], portable: false)).Error);
        }

        Assert.Equal("content", await File.ReadAllTextAsync(folder["link"]));
    }

    [NeedsTheory(Need.Mount), MemberData(nameof(Ways))]
    public async Task Full_device_is_reported_with_the_offset(string ways, string method)
    {
        // Nobody else may mount a device that fills up.
        _ = method;
        using MountedDisk small = MountedDisk.InMemory(1024 * 1024);
        await File.WriteAllTextAsync(small["copy"], "old");

        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(
            () => CopyFiles.CopyAsync(TestFolder.SharedFile(Length), small["copy"], CopyFiles.Options, ways).Soon());

        Assert.Equal((FilePipeError.NoSpace, small["copy"]), (exception.Error, exception.Path));
        Assert.InRange(exception.Offset, 1, 1024 * 1024);
        Assert.Equal("old", await File.ReadAllTextAsync(small["copy"]));
        Assert.Equal(["copy"], small.Names);
    }

    [NeedsTheory(Need.Mount), MemberData(nameof(Ways))]
    public async Task A_device_that_fills_up_during_the_kernels_copy_is_reported(string ways, string method)
    {
        // On one device, so that the kernel copies: between two kinds of file systems it does not.
        _ = method;
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
