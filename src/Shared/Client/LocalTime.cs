using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer;

/// <summary>When files here were last changed, as exactly as the system has it.</summary>
internal static class LocalTime
{
    public static FileTime Of(string path) =>
        TryLook(path, out _, out FileTime modified) ? modified : FileTime.FromDateTimeOffset(new DateTimeOffset(SpecialFile.Modified(path)));

    /// <summary>Length and time of a file, or of the file that a link leads to.</summary>
    /// <returns>False if the file does not exist.</returns>
    public static bool TryLook(string path, out long length, out FileTime modified)
    {
        if (SpecialFile.TryGetFacts(path, out length, out long seconds, out int nanoseconds))
        {
            modified = new FileTime(seconds, nanoseconds);
            return true;
        }

        modified = default;
        var file = new FileInfo(path);
        if (!file.Exists || SpecialFile.Is(path))
        {
            return false;
        }

        // A link's own length is that of its text.
        if (file.ResolveLinkTarget(returnFinalTarget: true) is { } end)
        {
            if (end is not FileInfo { Exists: true } target)
            {
                return false;
            }

            file = target;
        }

        length = file.Length;
        modified = FileTime.FromDateTimeOffset(new DateTimeOffset(SpecialFile.Date(file, static file => file.LastWriteTimeUtc)));
        return true;
    }

    /// <summary>Sets when a file was last changed, where the file system has such a time.</summary>
    public static void Set(SafeFileHandle file, FileTime time)
    {
        try
        {
            if (!SpecialFile.TrySetModified(file, time.Seconds, time.Nanoseconds))
            {
                File.SetLastWriteTimeUtc(file, time.ToDateTimeOffset().UtcDateTime);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentOutOfRangeException)
        {
            // The bytes matter more than their date: some network file systems refuse dates, and Windows has none before 1601.
        }
    }

    /// <summary>The same of a file that is closed.</summary>
    public static void Set(string path, FileTime time)
    {
        try
        {
            if (OperatingSystem.IsWindows())
            {
                File.SetLastWriteTimeUtc(path, time.ToDateTimeOffset().UtcDateTime);
                return;
            }

            using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            Set(file, time);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentOutOfRangeException)
        {
            // The bytes matter more than their date, here too.
        }
    }

    /// <summary>Whether two times are the same as far as both sides keep them: in seconds, milliseconds, microseconds or finer.</summary>
    public static bool Agree(FileTime left, FileTime right)
    {
        int unit = 1_000_000_000;
        while (left.Nanoseconds % unit != 0 && right.Nanoseconds % unit != 0)
        {
            unit /= 10;
        }

        return left.Seconds == right.Seconds && left.Nanoseconds / unit == right.Nanoseconds / unit;
    }
}
