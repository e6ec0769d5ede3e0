using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Appending;

/// <summary>With Linux's own calls: O_APPEND keeps what several processes append apart.</summary>
internal sealed unsafe class NativeLogFile : LogFile
{
    /// <summary>Permissions of a new file before the umask: rw-rw-rw-, as in every program.</summary>
    private const int DefaultMode = 0x1B6; // 0666

    private readonly string _target;

    private NativeLogFile(string path, string target, SafeFileHandle handle)
        : base(path)
    {
        _target = target;
        Handle = handle;
    }

    public override bool Native => true;

    public override LogKey Key
    {
        get
        {
            FileStatus status = FileStatus.Get(Handle, native: true);
            return new LogKey(status.Device, status.Inode, "");
        }
    }

    public static NativeLogFile Open(string path, bool readable, UnixFileMode? mode)
    {
        string target = Find(path);
        SafeFileHandle handle = AppendOpen.Open(
            target, readable, (int?)mode ?? DefaultMode, out bool created, out int error);
        if (error != 0)
        {
            handle.Dispose();
            throw error == Errno.Again
                ? LogErrors.Held(path, SystemError.Exception(error))
                : WriteErrors.Describe(LogErrors.Open, path, 0, error);
        }

        if (created && mode is { } exact)
        {
            // The umask took away from it.
            _ = NamedFile.SetMode(handle, exact);
        }

        return new NativeLogFile(path, target, handle);
    }

    public override AppendFailure? Append(MemoryVector* vectors, int count, out long begin, out long written)
    {
        int error = AppendingWrite.Write(Handle, vectors, count, out begin, out written);
        if (error == 0)
        {
            return null;
        }

        if (written == 0)
        {
            begin = Length;
        }

        return AppendFailure.Of(LogErrors.Append, error, begin + written);
    }

    public override bool TryCut(long length, long expected) =>
        Length == expected && FileSpace.Truncate(Handle, length) == 0;

    public override AppendFailure? Flush()
    {
        int error = DataFlush.Flush(Handle);

        // Virtual file systems that have nothing to flush are as durable as they can be.
        return error is 0 or Errno.InvalidArgument or Errno.NotSupported
            ? null
            : AppendFailure.Of(LogErrors.Flush, error, Length);
    }

    public override AppendFailure? FlushName()
    {
        using SafeFileHandle folder = Folder.Open(System.IO.Path.GetDirectoryName(_target)!);
        if (folder.IsInvalid)
        {
            // Renamed or unreadable: a name in it could not be made durable.
            return null;
        }

        int error = Folder.Flush(folder);
        return error == 0 ? null : AppendFailure.Of("flush the folder of", error, 0);
    }

    public override void Dispose()
    {
        AdvisoryLock.Release(Handle);
        base.Dispose();
    }

    /// <summary>Follows links, and refuses anything but a file before opening it: opening a FIFO would wait.</summary>
    private static string Find(string path)
    {
        int error = WriteTarget.Look(LogErrors.Open, path, follows: true, out string full, out NamedFile file);
        if (error == Errno.NoEntry && !System.IO.Path.EndsInDirectorySeparator(full))
        {
            return full;
        }

        if (error != 0)
        {
            throw WriteErrors.Describe(LogErrors.Open, path, 0, error);
        }

        WriteTarget.ThrowIfNotWritable(LogErrors.Open, path, file, LogErrors.NoFile);
        return full;
    }
}
