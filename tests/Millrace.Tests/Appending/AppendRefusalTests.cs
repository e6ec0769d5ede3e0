using System.Runtime.Versioning;

namespace Millrace.Tests.Appending;

/// <summary>Files that cannot be opened for appending, and their errors.</summary>
public sealed class AppendRefusalTests : FolderTests
{
    [Theory, EveryValue]
    public void Names_that_cannot_be_appended_to_are_rejected(bool portable)
    {
        AssertRefused(Folder["none/log"], portable, FilePipeError.NotFound);
        AssertRefused(Folder.Path, portable, FilePipeError.IsDirectory);
        AssertRefused(Folder[new string('x', 300)], portable, FilePipeError.NameTooLong);
        File.WriteAllText(Folder["read-only"], "");
        File.SetAttributes(Folder["read-only"], FileAttributes.ReadOnly);
        AssertRefused(Folder["read-only"], portable, FilePipeError.ReadOnly);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public void FIFO_is_rejected(bool portable)
    {
        using var fifo = new Fifo();
        AssertRefused(fifo.Path, portable, FilePipeError.Failed);
    }

    [NeedsFact(Need.Native)]
    public void Devices_and_circular_links_are_rejected()
    {
        AssertRefused("/dev/null", portable: false, FilePipeError.Failed);
        File.CreateSymbolicLink(Folder["link"], Folder["other"]);
        File.CreateSymbolicLink(Folder["other"], Folder["link"]);
        AssertRefused(Folder["link"], portable: false, FilePipeError.Failed);
    }

    [Theory, EveryValue]
    public void Exclusively_opened_file_is_rejected(bool portable)
    {
        string path = TestFolder.NewFile(10);
        using FileStream other = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);

        AssertRefused(path, portable, FilePipeError.Sharing);
    }

    [NeedsFact(Need.Links)]
    public async Task Link_to_a_missing_file_creates_the_file()
    {
        File.CreateSymbolicLink(Folder["link"], Folder["log"]);
        await using (FileAppendWriter writer = FilePipe.Append(Folder["link"]))
        {
            await writer.WriteAsync(TestContent.Of(10));
        }

        Assert.Equal(10, new FileInfo(Folder["log"]).Length);
        Assert.NotNull(new FileInfo(Folder["link"]).LinkTarget);
    }

    [NeedsTheory(Need.Unix), EveryValue]
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
        FilePipeException refused = Fails.With(error, () => Logs.Open(path, portable));
        Assert.Equal(path, refused.Path);
        Assert.Contains(path, refused.Message, StringComparison.Ordinal);
    }
}
