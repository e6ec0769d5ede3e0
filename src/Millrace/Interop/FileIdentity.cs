using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>Tells whether a name still belongs to the file that was opened under it.</summary>
internal static class FileIdentity
{
    /// <summary>Whether <paramref name="path"/> exists and is another file than <paramref name="opened"/>.</summary>
    public static bool IsAnother(SafeFileHandle opened, string path, bool native)
    {
        if (native && FileStatus.TryGet(path, out FileStatus named))
        {
            FileStatus own = FileStatus.Get(opened, native);
            return named.Inode != own.Inode || named.Device != own.Device;
        }

        return IsAnotherByTimes(opened, path);
    }

    /// <summary>
    /// Without inode numbers, by the times of the file. Where there is no time of birth, the framework derives one from
    /// times that move with every write; so the opened file is looked at before and after.
    /// </summary>
    private static bool IsAnotherByTimes(SafeFileHandle opened, string path)
    {
        try
        {
            DateTime before = File.GetCreationTimeUtc(opened);
            var named = new FileInfo(path);
            bool differs = named.Exists && named.CreationTimeUtc != before;
            return differs && File.GetCreationTimeUtc(opened) == before;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Not to be told now; the next look tries again.
            return false;
        }
    }
}
