using System.Globalization;

namespace Millrace.Tests.Infrastructure;

/// <summary>A file system of its own: small, so that it can be filled, or frozen, so that writes wait.</summary>
internal sealed class MountedDisk : IDisposable
{
    private readonly string? _image;
    private bool _frozen;

    private MountedDisk(string? image)
    {
        _image = image;
        Directory.CreateDirectory(Path);
    }

    public string Path { get; } = TestFolder.NewPath(".mount");

    public string this[string name] => System.IO.Path.Combine(Path, name);

    /// <summary>In memory, of a size in bytes.</summary>
    public static MountedDisk InMemory(int bytes)
    {
        var disk = new MountedDisk(image: null);
        Shell.Run("mount", "-t", "tmpfs", "-o", string.Create(CultureInfo.InvariantCulture, $"size={bytes}"), "tmpfs", disk.Path);
        return disk;
    }

    /// <summary>ext4 in a file, of a size in bytes.</summary>
    public static MountedDisk Ext4(int bytes)
    {
        string image = TestFolder.NewPath(".image");
        using (FileStream file = File.Create(image))
        {
            file.SetLength(bytes);
        }

        Shell.Run("mkfs.ext4", "-q", "-F", image);
        var disk = new MountedDisk(image);
        Shell.Run("mount", "-o", "loop", image, disk.Path);
        return disk;
    }

    public void MakeReadOnly() => Shell.Run("mount", "-o", "remount,ro", Path);

    /// <summary>From now on whoever writes to it waits.</summary>
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
}
