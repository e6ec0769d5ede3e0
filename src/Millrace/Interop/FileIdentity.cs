using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

internal static class FileIdentity
{
    /// <summary>Whether <paramref name="path"/> exists and is another file than <paramref name="opened"/>.</summary>
    public static bool HasBeenReplaced(SafeFileHandle opened, string path, bool native)
    {
        if (native && FileStatus.TryGet(path, out FileStatus named))
        {
            FileStatus own = FileStatus.Get(opened, native);
            return named.Inode != own.Inode || named.Device != own.Device;
        }

        return HasBeenReplacedByTimes(opened, path);
    }

    /// <summary>
    /// Without inode numbers, by times and length. They move with every write, so the opened file is looked at before and
    /// after. Two files alike in all three can be distinguished as soon as one of them grows.
    /// </summary>
    private static bool HasBeenReplacedByTimes(SafeFileHandle opened, string path)
    {
        try
        {
            Snapshot before = Snapshot.Of(opened);
            var named = new FileInfo(path);
            bool differs = named.Exists
                && Snapshot.Of(named) != before;
            return differs && Snapshot.Of(opened) == before;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Not known now; the next check tries again.
            return false;
        }
    }

    private readonly record struct Snapshot(DateTime Created, DateTime Written, long Length)
    {
        public static Snapshot Of(SafeFileHandle file) =>
            new(SpecialFile.Date(file, File.GetCreationTimeUtc), SpecialFile.Date(file, File.GetLastWriteTimeUtc), RandomAccess.GetLength(file));

        public static Snapshot Of(FileInfo file) => new(
            SpecialFile.Date(file, static file => file.CreationTimeUtc),
            SpecialFile.Date(file, static file => file.LastWriteTimeUtc),
            file.Length);
    }
}
