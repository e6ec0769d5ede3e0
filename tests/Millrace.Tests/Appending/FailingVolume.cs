namespace Millrace.Tests.Appending;

/// <summary>
/// A file system on a device that can stop to take bytes: ext4 on a sparse image in a volume of memory that is then filled
/// up. Writes go to the page cache, their flush fails.
/// </summary>
internal sealed class FailingVolume : IDisposable
{
    /// <summary>Bytes that the device has no room for once it is full.</summary>
    public const int MoreThanFits = 8 * 1024 * 1024;

    private readonly MountedDisk _memory = MountedDisk.InMemory(6 * 1024 * 1024);
    private readonly TemporaryFolder _folder = new();

    public FailingVolume()
    {
        string image = _memory["image"];
        Shell.Run("truncate", "-s", "64m", image);
        Shell.Run("mkfs.ext4", "-q", "-O", "^has_journal", image);
        Shell.Run("mount", "-o", "loop,errors=continue", image, Path);
    }

    public string Path => _folder.Path;

    /// <summary>From now on the device takes nothing that it does not hold already.</summary>
    public void FillDevice()
    {
        using FileStream ballast = new(_memory["ballast"], FileMode.CreateNew, FileAccess.Write);
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
        Shell.TryRun("umount", "-d", "-l", Path);
        _folder.Dispose();
        _memory.Dispose();
    }
}
