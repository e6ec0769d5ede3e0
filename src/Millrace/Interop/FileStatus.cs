using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>A source's facts about an open file.</summary>
internal readonly record struct FileStatus(long Size, long ModifiedTicks, FileKind Kind, ulong Device, ulong Inode)
{
    /// <summary>Asks the system, by the framework's means when <paramref name="native"/> is false.</summary>
    public static FileStatus Get(SafeFileHandle file, bool native) =>
        native && StatX.TryGet(file, out StatX raw) == 0 ? From(raw) : Portable(file);

    /// <summary>The size alone, which the framework returns without allocating.</summary>
    public static long GetSize(SafeFileHandle file, bool native) =>
        native && StatX.TryGet(file, out StatX raw) == 0 ? (long)raw.Size : RandomAccess.GetLength(file);

    public static bool TryGet(string path, out FileStatus status)
    {
        bool found = StatX.TryGet(path, follow: true, out StatX raw) == 0;
        status = found ? From(raw) : default;
        return found;
    }

    private static FileStatus Portable(SafeFileHandle file)
    {
        try
        {
            // Asked first: on Windows a device and a pipe have no length, which is reported, and no attributes, which is an error.
            long length = RandomAccess.GetLength(file);
            FileKind kind = File.GetAttributes(file).HasFlag(FileAttributes.Directory)
                ? FileKind.Directory
                : FileKind.Regular;
            return new FileStatus(length, SpecialFile.Date(file, File.GetLastWriteTimeUtc).Ticks, kind, 0, 0);
        }
        catch (NotSupportedException)
        {
            // How the framework reports that there are no positions.
            return new FileStatus(0, 0, FileKind.Stream, 0, 0);
        }
    }

    private static FileStatus From(in StatX raw) => new(
        (long)raw.Size,
        (raw.ModifiedSeconds * 1_000_000_000) + raw.ModifiedNanoseconds,
        raw.Format switch
        {
            StatX.Regular => FileKind.Regular,
            StatX.Directory => FileKind.Directory,
            StatX.CharacterDevice or StatX.BlockDevice => FileKind.Device,
            _ => FileKind.Stream,
        },
        ((ulong)raw.DeviceMajor << 32) | raw.DeviceMinor,
        raw.Inode);
}

/// <summary>The kinds of files that are read differently.</summary>
internal enum FileKind
{
    /// <summary>Has a size and positions. Files of /proc are of this kind with a size of 0.</summary>
    Regular,
    Directory,
    Device,

    /// <summary>A FIFO, a socket, a terminal: bytes come when they come.</summary>
    Stream,
}
