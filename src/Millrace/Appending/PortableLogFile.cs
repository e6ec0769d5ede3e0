using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Appending;

/// <summary>
/// By the framework's means alone, which have no appending: the end is looked up before each write, and another process
/// can come in between. Names cannot be made durable.
/// </summary>
internal sealed unsafe class PortableLogFile : LogFile
{
    private readonly FileStream _stream;

    private PortableLogFile(string path, FileStream stream)
        : base(path)
    {
        _stream = stream;
        Handle = stream.SafeFileHandle;
    }

    public override bool Native => false;

    public override LogKey Key =>
        OpenIdentity.TryGet(Handle, out ulong device, out ulong number) ? new LogKey(device, number, "") : LogKey.Of(Path);

    public static PortableLogFile Open(string path, UnixFileMode? mode)
    {
        try
        {
            var file = new FileInfo(System.IO.Path.GetFullPath(path));
            if (file.Exists && file.IsReadOnly)
            {
                throw WriteErrors.Describe(LogErrors.Open, path, 0, FilePipeError.ReadOnly, inner: null);
            }

            var stream = new FileStream(file.FullName, Options(file.Exists ? null : mode));
            if (!stream.CanSeek)
            {
                stream.Dispose();
                throw LogErrors.NoFile(path);
            }

            if (mode is { } exact && !file.Exists && !OperatingSystem.IsWindows())
            {
                // The umask took away from it.
                File.SetUnixFileMode(stream.SafeFileHandle, exact);
            }

            return new PortableLogFile(path, stream);
        }
        catch (Exception exception) when (exception is IOException and not FilePipeException or UnauthorizedAccessException)
        {
            throw Describe(path, exception);
        }
    }

    public override AppendFailure? Append(MemoryVector* vectors, int count, out long begin, out long written)
    {
        begin = 0;
        written = 0;
        try
        {
            begin = Length;
            for (int i = 0; i < count; i++)
            {
                var bytes = new ReadOnlySpan<byte>(vectors[i].Base, checked((int)vectors[i].Length));
                RandomAccess.Write(Handle, bytes, begin + written);
                written += bytes.Length;
            }

            return null;
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or ArgumentOutOfRangeException)
        {
            // The framework's word for EFBIG is that an argument is out of its range.
            AppendFailure failure = exception is ArgumentOutOfRangeException
                ? new AppendFailure(LogErrors.Append, FilePipeError.FileTooLarge, exception, begin + written)
                : AppendFailure.Of(LogErrors.Append, exception, begin + written);

            // A write that failed may have been half done, and does not say so.
            written = Math.Max(written, Length - begin);
            return failure;
        }
    }

    public override bool TryCut(long length, long expected)
    {
        try
        {
            RandomAccess.SetLength(Handle, length);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <remarks>On Linux .NET 10 reports no error when fsync fails; see docs/append.md.</remarks>
    public override AppendFailure? Flush()
    {
        try
        {
            RandomAccess.FlushToDisk(Handle);
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return AppendFailure.Of(LogErrors.Flush, exception, Length);
        }
    }

    public override AppendFailure? FlushName() => null;

    public override void Dispose()
    {
        _stream.Dispose();
        base.Dispose();
    }

    private static FileStreamOptions Options(UnixFileMode? mode)
    {
        var options = new FileStreamOptions
        {
            Mode = FileMode.OpenOrCreate,
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite | FileShare.Delete,
            BufferSize = 0,
        };
        if (mode is not null && !OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = mode;
        }

        return options;
    }

    private static FilePipeException Describe(string path, Exception exception)
    {
        if (Directory.Exists(path))
        {
            return WriteErrors.Describe(LogErrors.Open, path, 0, FilePipeError.IsDirectory, exception);
        }

        if (SystemError.IsSharing(exception))
        {
            return LogErrors.Held(path, exception);
        }

        // Windows reports a name that is too long as not found.
        FilePipeError kind = System.IO.Path.GetFileName(path).Length > PortableStagedFile.MaxName
            ? FilePipeError.NameTooLong
            : SystemError.Kind(exception, FilePipeError.Failed);
        return WriteErrors.Describe(LogErrors.Open, path, 0, kind, exception);
    }
}
