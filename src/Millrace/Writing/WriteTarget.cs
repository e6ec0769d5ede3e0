using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>The file that a new file will replace.</summary>
internal readonly record struct WriteTarget(string FullPath, NamedFile? Existing)
{
    private const string Create = "create";

    private const UnixFileMode AnyWrite = UnixFileMode.UserWrite | UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;

    /// <summary>Looks up a name, and rejects one that no file could be published under.</summary>
    public static WriteTarget Find(string path, bool createNew)
    {
        if (Path.EndsInDirectorySeparator(Path.GetFullPath(path)))
        {
            throw Refuse(Create, path, FilePipeError.IsDirectory);
        }

        int error = Look(Create, path, follows: !createNew, out string full, out NamedFile file);
        if (error == Errno.NoEntry)
        {
            return new WriteTarget(full, null);
        }

        if (error != 0)
        {
            throw WriteErrors.Describe(Create, path, 0, error);
        }

        if (createNew)
        {
            throw Refuse(Create, path, FilePipeError.NameTaken);
        }

        ThrowIfNotWritable(Create, path, file, NoFile);
        return new WriteTarget(full, file);
    }

    /// <returns>0, or the error number: ENOENT where nothing has the name.</returns>
    public static int Look(string verb, string path, bool follows, out string full, out NamedFile file)
    {
        full = Path.GetFullPath(path);
        int error = NamedFile.TryGet(full, out file);
        if (error == 0 && file.IsLink && follows)
        {
            full = Follow(verb, path, full);
            error = NamedFile.TryGet(full, out file);
        }

        return error;
    }

    /// <summary>Refuses anything but a regular file, and one that is marked read-only.</summary>
    public static void ThrowIfNotWritable(
        string verb, string path, in NamedFile file, Func<string, FilePipeException> noFile)
    {
        if (file.IsFolder)
        {
            throw Refuse(verb, path, FilePipeError.IsDirectory);
        }

        if (!file.IsRegular)
        {
            throw noFile(path);
        }

        if ((file.Permissions & AnyWrite) == UnixFileMode.None)
        {
            // A rename asks for a writable folder only, and root could write all the same. A file is not marked so to have
            // it changed.
            throw Refuse(verb, path, FilePipeError.ReadOnly);
        }
    }

    public static FilePipeException NoFile(string path) =>
        new(
            FilePipeError.Failed,
            $"Cannot create '{path}': it is a device, a FIFO or a socket, which is never replaced by a file.",
            path,
            0);

    private static string Follow(string verb, string path, string full)
    {
        try
        {
            return File.ResolveLinkTarget(full, returnFinalTarget: true)!.FullName;
        }
        catch (IOException exception)
        {
            throw WriteErrors.Describe(verb, path, 0, FilePipeError.Failed, exception);
        }
    }

    private static FilePipeException Refuse(string verb, string path, FilePipeError error) =>
        WriteErrors.Describe(verb, path, 0, error, inner: null);
}
