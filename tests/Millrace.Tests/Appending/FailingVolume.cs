using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Appending;

/// <summary>
/// A file system on a device that can stop to take bytes: ext4 on a sparse image in a volume of memory that is then filled
/// up. Writes go to the page cache, their flush fails.
/// </summary>
internal sealed class FailingVolume : IDisposable
{
    /// <summary>Bytes that the device has no room for once it is full.</summary>
    public const int MoreThanFits = 8 * 1024 * 1024;

    private readonly string _memory;

    private FailingVolume(string memory, string path)
    {
        _memory = memory;
        Path = path;
    }

    public string Path { get; }

    /// <returns>Null where this process may not mount, or there are no loop devices.</returns>
    public static FailingVolume? TryMount()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
        {
            return null;
        }

        string memory = TestFolder.NewPath(".mount");
        string path = TestFolder.NewPath(".mount");
        Directory.CreateDirectory(memory);
        Directory.CreateDirectory(path);
        var volume = new FailingVolume(memory, path);
        string image = System.IO.Path.Combine(memory, "image");
        bool mounted = SmallVolume.TryRun("mount", "-t", "tmpfs", "-o", "size=6m", "millrace-tests", memory)
            && SmallVolume.TryRun("truncate", "-s", "64m", image)
            && SmallVolume.TryRun("mkfs.ext4", "-q", "-O", "^has_journal", image)
            && SmallVolume.TryRun("mount", "-o", "loop,errors=continue", image, path);
        if (!mounted)
        {
            volume.Dispose();
            return null;
        }

        return volume;
    }

    /// <summary>From now on the device takes nothing that it does not hold already.</summary>
    public void FillDevice()
    {
        using FileStream ballast = new(System.IO.Path.Combine(_memory, "ballast"), FileMode.CreateNew, FileAccess.Write);
        byte[] bytes = new byte[4096];
        try
        {
            while (true)
            {
                ballast.Write(bytes);
                ballast.Flush();
            }
        }
        catch (IOException)
        {
            // Full.
        }
    }

    public void Dispose()
    {
        SmallVolume.TryRun("umount", "-d", "-l", Path);
        SmallVolume.TryRun("umount", "-l", _memory);
        Directory.Delete(Path);
        Directory.Delete(_memory);
    }
}
