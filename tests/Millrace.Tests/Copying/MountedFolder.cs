using System.Diagnostics;
using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Copying;

/// <summary>A file system of its own, which only root can have.</summary>
internal sealed class MountedFolder : IDisposable
{
    private const long ImageBytes = 512L * 1024 * 1024;

    private readonly OwnFolder _folder = new();
    private readonly string? _image;

    private MountedFolder(string? image) => _image = image;

    public string Path => _folder.Path;

    public string this[string name] => _folder[name];

    public string[] Names => _folder.Names;

    /// <summary>In memory, and full after so many bytes.</summary>
    public static MountedFolder Small(long bytes)
    {
        var mounted = new MountedFolder(image: null);
        mounted.Mount("-t", "tmpfs", "-o", $"size={bytes}", "millrace-tests");
        return mounted;
    }

    /// <summary>One whose files can share blocks; null where its tools are not installed or nobody may mount it.</summary>
    public static MountedFolder? TryShared(string makeFileSystem)
    {
        if (!Environment.IsPrivilegedProcess)
        {
            return null;
        }

        string image = TestFolder.NewPath(".img");
        using (FileStream file = File.Create(image))
        {
            file.SetLength(ImageBytes);
        }

        var mounted = new MountedFolder(image);
        if (TryRun(makeFileSystem, "-q", image) && TryRun("mount", "-o", "loop", image, mounted.Path))
        {
            return mounted;
        }

        mounted._folder.Dispose();
        File.Delete(image);
        return null;
    }

    public void Dispose()
    {
        Assert.True(TryRun("umount", Path), $"'{Path}' could not be unmounted");
        _folder.Dispose();
        if (_image is not null)
        {
            File.Delete(_image);
        }
    }

    private void Mount(params string[] arguments) =>
        Assert.True(TryRun("mount", [.. arguments, Path]), "mounting was refused: these tests need root");

    private static bool TryRun(string program, params string[] arguments)
    {
        try
        {
            using Process process = Process.Start(
                new ProcessStartInfo(program, arguments) { UseShellExecute = false, RedirectStandardError = true })!;
            process.StandardError.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            // Not installed.
            return false;
        }
    }
}
