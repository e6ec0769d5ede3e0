using System.Runtime.Versioning;
using Millrace.Interop;

namespace Millrace.Tests.Appending;

/// <summary>What cannot be opened for appending, and how that is said.</summary>
public sealed class AppendRefusalTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Missing_folder_is_rejected(bool portable)
    {
        using var folder = new TemporaryFolder();

        AssertRefused(Path.Combine(folder.Path, "none", "log"), portable, FilePipeError.NotFound);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Folder_is_rejected(bool portable)
    {
        using var folder = new TemporaryFolder();

        AssertRefused(folder.Path, portable, FilePipeError.IsDirectory);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Too_long_name_is_rejected(bool portable)
    {
        using var folder = new TemporaryFolder();

        AssertRefused(folder[new string('x', 300)], portable, FilePipeError.NameTooLong);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Read_only_file_is_rejected(bool portable)
    {
        string path = TestFolder.NewFile(10);
        File.SetAttributes(path, FileAttributes.ReadOnly);

        AssertRefused(path, portable, FilePipeError.ReadOnly);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void FIFO_is_rejected(bool portable)
    {
        if (OperatingSystem.IsLinux())
        {
            using var fifo = new Fifo();
            AssertRefused(fifo.Path, portable, FilePipeError.Failed);
        }
    }

    [Fact]
    public void Device_is_rejected()
    {
        if (NativeFeatures.Linux)
        {
            AssertRefused("/dev/null", portable: false, FilePipeError.Failed);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Exclusively_opened_file_is_rejected(bool portable)
    {
        string path = TestFolder.NewFile(10);
        using FileStream other = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);

        AssertRefused(path, portable, FilePipeError.Sharing);
    }

    [Fact]
    public void Circular_link_is_rejected()
    {
        using var folder = new TemporaryFolder();
        File.CreateSymbolicLink(folder["link"], folder["other"]);
        File.CreateSymbolicLink(folder["other"], folder["link"]);

        AssertRefused(folder["link"], portable: false, FilePipeError.Failed);
    }

    [Fact]
    public async Task Link_to_a_missing_file_creates_the_file()
    {
        using var folder = new TemporaryFolder();
        File.CreateSymbolicLink(folder["link"], folder["log"]);
        await using (FileAppendWriter writer = FilePipe.Append(folder["link"]))
        {
            await writer.WriteAsync(TestContent.Of(10));
        }

        Assert.Equal(10, new FileInfo(folder["log"]).Length);
        Assert.NotNull(new FileInfo(folder["link"]).LinkTarget);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData(false)]
    [InlineData(true)]
    [UnsupportedOSPlatform("windows")]
    public void A_new_file_has_the_permissions_that_were_requested(bool portable)
    {
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
        string path = TestFolder.NewPath();
        FilePipe.Append(path, new FileAppendOptions { UnixCreateMode = Mode, Portable = portable }).Dispose();
        Assert.Equal(Mode, File.GetUnixFileMode(path));
        FilePipe.Append(path, new FileAppendOptions { UnixCreateMode = UnixFileMode.UserWrite, Portable = portable }).Dispose();
        Assert.Equal(Mode, File.GetUnixFileMode(path));
    }

    [Fact]
    public void Empty_name_is_rejected()
    {
        Assert.Throws<ArgumentException>(() => FilePipe.Append(""));
        Assert.Throws<ArgumentException>(() => FilePipe.Append("a\0b"));
        Assert.Throws<ArgumentNullException>(() => FilePipe.Append(null!));
    }

    private static void AssertRefused(string path, bool portable, FilePipeError error)
    {
        FilePipeException refused = Assert.Throws<FilePipeException>(() => Logs.Open(path, portable));
        Assert.Equal(error, refused.Error);
        Assert.Equal(path, refused.Path);
        Assert.Contains(path, refused.Message, StringComparison.Ordinal);
    }
}
