using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>What a file is going to be published over.</summary>
/// <param name="FullPath">Where a link leads, if the name is one.</param>
/// <param name="Existing">What has the name now; null if nothing has it.</param>
internal readonly record struct WriteTarget(string FullPath, NamedFile? Existing)
{
    private const string Create = "create";

    private const UnixFileMode AnyWrite = UnixFileMode.UserWrite | UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;

    /// <summary>Looks at a name, and refuses what no file could be published under.</summary>
    /// <exception cref="FilePipeException">It is a folder, a device, too long, read-only, or taken.</exception>
    public static WriteTarget Find(string path, bool mustBeNew)
    {
        if (Path.EndsInDirectorySeparator(Path.GetFullPath(path)))
        {
            throw Refuse(Create, path, FilePipeError.IsDirectory);
        }

        int error = Look(Create, path, follows: !mustBeNew, out string full, out NamedFile file);
        if (error == Errno.NoEntry)
        {
            return new WriteTarget(full, null);
        }

        if (error != 0)
        {
            throw WriteErrors.Describe(Create, path, 0, error);
        }

        if (mustBeNew)
        {
            throw Refuse(Create, path, FilePipeError.NameTaken);
        }

        ThrowIfNotWritable(Create, path, file, NoFile);
        return new WriteTarget(full, file);
    }

    /// <summary>What has a name, or what a link of that name leads to.</summary>
    /// <param name="verb">What is about to be done, for the message of an error.</param>
    /// <param name="path">The name as it was given.</param>
    /// <param name="follows">Whether to follow a link.</param>
    /// <param name="full">The full name, of what a link leads to where it was followed.</param>
    /// <param name="file">What has it.</param>
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

    /// <summary>Refuses what is no regular file, and one that is marked read-only.</summary>
    /// <param name="verb">What is about to be done.</param>
    /// <param name="path">The name as it was given.</param>
    /// <param name="file">What has it.</param>
    /// <param name="noFile">What to say of a device, a FIFO or a socket.</param>
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
            // A rename asks for a writable folder only, and root could write all the same. Nobody marks a file so to have
            // it changed.
            throw Refuse(verb, path, FilePipeError.ReadOnly);
        }
    }

    private static FilePipeException NoFile(string path) =>
        new(
            FilePipeError.Failed,
            $"Cannot create '{path}': it is a device, a FIFO or a socket, which no file is put in the place of.",
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
