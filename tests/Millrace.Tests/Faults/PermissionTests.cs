using System.Runtime.Versioning;

namespace Millrace.Tests.Faults;

/// <summary>Files that the process may not read.</summary>
[SupportedOSPlatform("linux")]
public sealed class PermissionTests
{
    private const uint Nobody = 65534;

    [NeedsTheory(Need.Unix), EveryValue]
    public void Unreadable_file_is_reported(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(100);
        File.SetUnixFileMode(path, UnixFileMode.None);

        AssertDenied(path, strategy, portable);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public void File_in_an_inaccessible_folder_is_reported(ReadStrategy strategy, bool portable)
    {
        string folder = TestFolder.NewPath(".folder");
        Directory.CreateDirectory(folder, UnixFileMode.None);

        AssertDenied(Path.Combine(folder, "file"), strategy, portable);

        // Its owner may delete an empty folder, but the clean-up looks into it first.
        Directory.Delete(folder);
    }

    private static void AssertDenied(string path, ReadStrategy strategy, bool portable)
    {
        Exception? exception = OpenAsNobody(path, new FileReadOptions { Strategy = strategy, Portable = portable });

        FilePipeException denied = Assert.IsType<FilePipeException>(exception);
        Assert.Equal(FilePipeError.AccessDenied, denied.Error);
        Assert.Equal(path, denied.Path);
        Assert.Equal(0, denied.Offset);
        Assert.IsType<UnauthorizedAccessException>(denied.InnerException);
    }

    /// <summary>
    /// Root may read everything, and tests often run as root: a separate thread uses files as another user.
    /// </summary>
    private static Exception? OpenAsNobody(string path, FileReadOptions options)
    {
        Exception? exception = null;
        var thread = new Thread(() =>
        {
            // The test folder is its owner's alone; the file is to be refused.
            if (Environment.IsPrivilegedProcess)
            {
                File.SetUnixFileMode(
                    TestFolder.Root, File.GetUnixFileMode(TestFolder.Root) | UnixFileMode.OtherExecute);
                _ = Linux.UseFilesAs(Nobody);
            }

            exception = Record.Exception(() => FilePipe.OpenRead(path, options).Dispose());
        });
        thread.Start();
        thread.Join();
        return exception;
    }
}
