using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Copying;

/// <summary>The file that is copied, as it was when the copy began.</summary>
internal sealed class CopySource : IDisposable
{
    private const UnixFileMode Permissions = (UnixFileMode)0x1FF; // rwxrwxrwx

    private readonly FileTimes _times;
    private readonly DateTime _accessed;
    private readonly DateTime _written;

    private CopySource(OpenFile file)
    {
        File = file;
        if (!OperatingSystem.IsWindows())
        {
            // Not what makes a program run as its owner: the owner of the copy is another one.
            Mode = (file.Native && FileTimes.TryGet(file.Handle, out _times, out UnixFileMode mode) == 0
                ? mode
                : System.IO.File.GetUnixFileMode(file.Handle)) & Permissions;
            if (file.Native && AccessList.TryGet(file.Handle) is { } list)
            {
                Mode = AccessList.Without(Mode, list);
            }
        }

        if (_times == default)
        {
            _accessed = SpecialFile.Date(file.Handle, System.IO.File.GetLastAccessTimeUtc);
            _written = SpecialFile.Date(file.Handle, System.IO.File.GetLastWriteTimeUtc);
        }
    }

    public OpenFile File { get; }

    public UnixFileMode Mode { get; }

    /// <summary>Opens it. Waits for the writer of a FIFO that has none.</summary>
    public static CopySource Open(string path, bool keepCached, bool portable)
    {
        var options = new FileReadOptions { KeepCached = keepCached, Portable = portable };
        OpenFile file = OpenFile.Open(path, options);
        try
        {
            return new CopySource(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    public FilePipeReader Read(long? limit) => Read(File.Handle, File.Path, limit, File.KeepsCached, File.Native);

    /// <summary>
    /// A reader of a handle that stays open, which reads ahead on another thread; <paramref name="unused"/> is disposed when the
    /// reader has ended and that thread has read for the last time.
    /// </summary>
    public static FilePipeReader Read(
        SafeFileHandle handle, string path, long? limit, bool keepCached, bool native, IDisposable? unused = null)
    {
        // Reading ahead always: the thread that would read in between writes or computes instead.
        var options = new FileReadOptions { Strategy = ReadStrategy.ReadAhead, Length = limit, KeepCached = keepCached, Portable = !native };
        return new FilePipeReader(new OpenFile(handle, path, options, ownsHandle: false) { Unused = unused }, options);
    }

    /// <summary>Refuses a destination that is this file: there would be nothing left to copy, or nothing to do.</summary>
    /// <returns>Whether the destination exists, and is a file.</returns>
    public bool ThrowIfSame(string destination)
    {
        if (IsSame(destination, out bool exists))
        {
            throw new FilePipeException(
                FilePipeError.SameFile,
                $"Cannot copy '{File.Path}' to '{destination}': they are the same file. Nothing was done; choose another "
                + "name for the copy.",
                destination,
                0);
        }

        return exists;
    }

    public int CopyTimesTo(SafeFileHandle copy)
    {
        if (_written == default)
        {
            return _times.SetOn(copy);
        }

        System.IO.File.SetLastAccessTimeUtc(copy, _accessed);
        System.IO.File.SetLastWriteTimeUtc(copy, _written);
        return 0;
    }

    public void Dispose() => File.Dispose();

    private bool IsSame(string destination, out bool exists)
    {
        if (File.Native && FileStatus.TryGet(destination, out FileStatus named, out int error) | error == Errno.NoEntry)
        {
            exists = error == 0 && named.Kind != FileKind.Directory;
            return error == 0 && File.Is(named);
        }

        exists = System.IO.File.Exists(destination);

        // Without inode numbers: a hard link is not detected, and loses nothing either, since it is replaced as a whole.
        return string.Equals(Resolved(File.Path), Resolved(destination), StringComparison.Ordinal);
    }

    private static string Resolved(string path)
    {
        string full = Path.GetFullPath(path);
        try
        {
            return System.IO.File.ResolveLinkTarget(full, returnFinalTarget: true)?.FullName ?? full;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Not there yet; or reported when it is opened.
            return full;
        }
    }
}
