using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>What a file is going to be published over.</summary>
/// <param name="FullPath">Where a link leads, if the name is one.</param>
/// <param name="Existing">What has the name now; null if nothing has it.</param>
internal readonly record struct WriteTarget(string FullPath, NamedFile? Existing)
{
    /// <summary>Looks at a name, and refuses what no file could be published under.</summary>
    /// <exception cref="FilePipeException">It is a folder, a device, too long, read-only, or taken.</exception>
    public static WriteTarget Find(string path, bool mustBeNew)
    {
        string full = Path.GetFullPath(path);
        if (Path.EndsInDirectorySeparator(full))
        {
            throw Refuse(path, FilePipeError.IsDirectory);
        }

        int error = NamedFile.TryGet(full, out NamedFile file);
        if (error == 0 && file.IsLink && !mustBeNew)
        {
            full = Follow(path, full);
            error = NamedFile.TryGet(full, out file);
        }

        if (error == Errno.NoEntry)
        {
            return new WriteTarget(full, null);
        }

        if (error != 0)
        {
            throw WriteErrors.Describe("create", path, 0, error);
        }

        if (mustBeNew)
        {
            throw Refuse(path, FilePipeError.NameTaken);
        }

        if (file.IsFolder)
        {
            throw Refuse(path, FilePipeError.IsDirectory);
        }

        if (!file.IsRegular)
        {
            throw new FilePipeException(
                FilePipeError.Failed,
                $"Cannot create '{path}': it is a device, a FIFO or a socket, which no file is put in the place of.",
                path,
                0);
        }

        const UnixFileMode AnyWrite = UnixFileMode.UserWrite | UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
        if ((file.Permissions & AnyWrite) == UnixFileMode.None)
        {
            // A rename would go through: it asks for a writable folder only. Nobody marks a file so to lose it.
            throw Refuse(path, FilePipeError.ReadOnly);
        }

        return new WriteTarget(full, file);
    }

    private static string Follow(string path, string full)
    {
        try
        {
            return File.ResolveLinkTarget(full, returnFinalTarget: true)!.FullName;
        }
        catch (IOException exception)
        {
            throw WriteErrors.Describe("create", path, 0, FilePipeError.Failed, exception);
        }
    }

    private static FilePipeException Refuse(string path, FilePipeError error) =>
        WriteErrors.Describe("create", path, 0, error, inner: null);
}
