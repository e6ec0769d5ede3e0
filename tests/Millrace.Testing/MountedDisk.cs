namespace Millrace.Testing;

/// <summary>A separate file system (<see cref="Need.Mount"/>): small, so that it can be filled, or frozen, so that writes wait.</summary>
public sealed class MountedDisk : IDisposable
{
    private readonly string? _image;
    private bool _frozen;

    private MountedDisk(string path, string? image = null)
    {
        Path = Directory.CreateDirectory(path).FullName;
        _image = image;
    }

    public string Path { get; }

    public string[] Names => [.. Directory.GetFileSystemEntries(Path).Select(System.IO.Path.GetFileName).Order(StringComparer.Ordinal)!];

    public string this[string name] => System.IO.Path.Combine(Path, name);

    /// <summary>In memory, of a size in bytes.</summary>
    /// <param name="path">Where it is mounted; null for a new folder.</param>
    public static MountedDisk InMemory(long bytes, string? path = null)
    {
        var disk = new MountedDisk(path ?? NewPath(".mount"));
        Shell.Run("mount", "-t", "tmpfs", "-o", $"size={bytes}", "millrace-tests", disk.Path);
        return disk;
    }

    /// <summary>ext4, xfs or btrfs in a sparse file of a size in bytes.</summary>
    public static MountedDisk Formatted(string fileSystem, long bytes)
    {
        string image = NewPath(".image");
        using (FileStream file = File.Create(image))
        {
            file.SetLength(bytes);
        }

        Shell.Run($"mkfs.{fileSystem}", "-q", image);
        var disk = new MountedDisk(NewPath(".mount"), image);
        Shell.Run("mount", "-o", "loop", image, disk.Path);
        return disk;
    }

    /// <summary>Gives a disk in memory another size.</summary>
    public void Resize(long bytes) => Shell.Run("mount", "-o", $"remount,size={bytes}", Path);

    public void MakeReadOnly() => Shell.Run("mount", "-o", "remount,ro", Path);

    /// <summary>Blocks every write to it until <see cref="Thaw"/>.</summary>
    public void Freeze()
    {
        Shell.Run("fsfreeze", "--freeze", Path);
        _frozen = true;
    }

    public void Thaw()
    {
        if (_frozen)
        {
            _frozen = false;
            Shell.Run("fsfreeze", "--unfreeze", Path);
        }
    }

    public void Dispose()
    {
        Thaw();
        Shell.Run("umount", "--lazy", Path);
        Directory.Delete(Path);
        if (_image is not null)
        {
            File.Delete(_image);
        }
    }

    private static string NewPath(string extension)
    {
        string parent = System.IO.Path.Combine(AppContext.BaseDirectory, "tmp");
        Directory.CreateDirectory(parent);
        return System.IO.Path.Combine(parent, Guid.NewGuid().ToString("N") + extension);
    }
}
