using System.Text;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>
/// By the framework's means alone. Folders cannot be flushed with them, and whether a name is free is asked before it is
/// taken: another process can come in between.
/// </summary>
internal sealed class PortableStagedFile : StagedFile
{
    /// <summary>NAME_MAX of linux/limits.h and of the common file systems of Unix, in bytes; in characters that of NTFS.</summary>
    internal const int MaxName = 255;

    private readonly FileStream _stream;
    private readonly string _staged;
    private readonly bool _createNew;

    private PortableStagedFile(
        string path, string target, bool createNew, string staged, FileStream stream, bool keeps)
        : base(path, target, keeps)
    {
        _stream = stream;
        _createNew = createNew;
        _staged = staged;
        Handle = stream.SafeFileHandle;
    }

    public override bool Native => false;

    public static PortableStagedFile Create(string path, bool createNew, UnixFileMode? mode)
    {
        try
        {
            FileInfo target = Find(path, createNew, mode, out UnixFileMode? kept);
            string staged = System.IO.Path.Combine(target.DirectoryName!, StagedName.Next());
            return new PortableStagedFile(path, target.FullName, createNew, staged, Open(staged, kept), keeps: false);
        }
        catch (Exception exception) when (exception is IOException and not FilePipeException or UnauthorizedAccessException)
        {
            throw WriteErrors.Describe("create", path, 0, SystemError(exception), exception);
        }
    }

    public static PortableStagedFile Continue(string part, string path, bool createNew, UnixFileMode? mode)
    {
        FileInfo target;
        UnixFileMode? kept;
        try
        {
            target = Find(path, createNew, mode, out kept);
        }
        catch (Exception exception) when (exception is IOException and not FilePipeException or UnauthorizedAccessException)
        {
            throw WriteErrors.Describe("create", path, 0, SystemError(exception), exception);
        }

        try
        {
            string full = System.IO.Path.GetFullPath(part);
            if (new FileInfo(full).LinkTarget is not null)
            {
                throw WriteErrors.Describe("continue", part, 0, FilePipeError.Failed, inner: null);
            }

            return new PortableStagedFile(path, target.FullName, createNew, full, OpenPart(full, kept), keeps: true);
        }
        catch (Exception exception) when (exception is IOException and not FilePipeException or UnauthorizedAccessException)
        {
            throw WriteErrors.Describe("continue", part, 0, SystemError(exception), exception);
        }
    }

    public override void Reserve(long bytes)
    {
        // The framework reserves only while it creates, and the length with it: a reader would see zeroes.
    }

    private protected override void WriteOnce(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset)
    {
        try
        {
            if (!first.IsEmpty)
            {
                RandomAccess.Write(Handle, first, offset);
            }

            if (!second.IsEmpty)
            {
                RandomAccess.Write(Handle, second, offset + first.Length);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Failed("write", exception, offset);
        }
        catch (ArgumentOutOfRangeException exception)
        {
            // The framework's word for EFBIG.
            throw WriteErrors.Describe("write", Path, offset, FilePipeError.FileTooLarge, exception);
        }
    }

    public override void SetLength(long bytes)
    {
        try
        {
            RandomAccess.SetLength(Handle, bytes);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Failed("set the length of", exception, bytes);
        }
        catch (ArgumentOutOfRangeException exception)
        {
            // As for writing, on Windows.
            throw WriteErrors.Describe("set the length of", Path, bytes, FilePipeError.FileTooLarge, exception);
        }
    }

    /// <remarks>
    /// The framework does not report every failure: with .NET 10 on Linux its call returns when the device has failed.
    /// </remarks>
    public override void Flush()
    {
        try
        {
            RandomAccess.FlushToDisk(Handle);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Failed("flush", exception, 0);
        }
    }

    public override void BeginFlush()
    {
        // The framework has no call for it.
    }

    private protected override void Rename()
    {
        try
        {
            if (_createNew || !WindowsRename.TryReplace(_staged, Target))
            {
                File.Move(_staged, Target, overwrite: !_createNew);
            }

            if (OperatingSystem.IsWindows())
            {
                // After the rename, which may be tried again when it fails; before it was closed, others could not write to the file.
                _stream.Dispose();
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            FilePipeError error = _createNew && File.Exists(Target) ? FilePipeError.NameTaken : SystemError(exception);
            throw WriteErrors.Describe("publish", Path, 0, error, exception);
        }
    }

    public override void FlushFolder()
    {
        // The framework opens no folders.
    }

    private protected override void Close(bool remove)
    {
        _stream.Dispose();
        if (!remove)
        {
            return;
        }

        try
        {
            File.Delete(_staged);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The folder is gone, and the file with it; or it stays for FilePipe.CleanUp.
        }
    }

    private static FileInfo Find(string path, bool createNew, UnixFileMode? mode, out UnixFileMode? kept)
    {
        var target = new FileInfo(System.IO.Path.GetFullPath(path));
        if (target.LinkTarget is not null && !createNew)
        {
            target = (FileInfo)target.ResolveLinkTarget(returnFinalTarget: true)!;
        }

        Check(path, target, createNew);
        kept = OperatingSystem.IsWindows() ? null : mode ?? (target.Exists ? target.UnixFileMode : null);
        return target;
    }

    private static void Check(string path, FileInfo target, bool createNew)
    {
        if (System.IO.Path.EndsInDirectorySeparator(target.FullName) || Directory.Exists(target.FullName))
        {
            throw WriteErrors.Describe(
                "create", path, 0, createNew ? FilePipeError.NameTaken : FilePipeError.IsDirectory, inner: null);
        }

        if (createNew && (target.Exists || target.LinkTarget is not null))
        {
            throw WriteErrors.Describe("create", path, 0, FilePipeError.NameTaken, inner: null);
        }

        if (SpecialFile.Is(target.FullName))
        {
            throw WriteTarget.NoFile(path);
        }

        if ((OperatingSystem.IsWindows() ? target.Name.Length : Encoding.UTF8.GetByteCount(target.Name)) > MaxName)
        {
            // The staged name is short: without this it would show after the work only.
            throw WriteErrors.Describe("create", path, 0, FilePipeError.NameTooLong, inner: null);
        }

        if (target.Exists && target.IsReadOnly)
        {
            throw WriteErrors.Describe("create", path, 0, FilePipeError.ReadOnly, inner: null);
        }
    }

    private static FileStream Open(string staged, UnixFileMode? mode) =>
        Open(staged, FileMode.CreateNew, FileShare.Read | FileShare.Delete, mode);

    /// <summary>Exclusive, so that no other writer continues it; Windows has to let it be renamed.</summary>
    private static FileStream OpenPart(string part, UnixFileMode? mode) =>
        Open(part, FileMode.OpenOrCreate, OperatingSystem.IsWindows() ? FileShare.Delete : FileShare.None, mode);

    private static FileStream Open(string staged, FileMode how, FileShare share, UnixFileMode? mode)
    {
        var options = new FileStreamOptions
        {
            Mode = how,
            Access = FileAccess.ReadWrite,
            Share = share,
            BufferSize = 0,
        };
        if (mode is null || OperatingSystem.IsWindows())
        {
            return new FileStream(staged, options);
        }

        options.UnixCreateMode = mode;
        var stream = new FileStream(staged, options);

        // The umask took away from it.
        File.SetUnixFileMode(stream.SafeFileHandle, mode.Value);
        return stream;
    }
}
