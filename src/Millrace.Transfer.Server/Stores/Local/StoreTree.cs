using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>
/// Resolves names below a store's root. Never leaves it, and never follows a link into the store's own folder. Thread-safe.
/// </summary>
internal abstract class StoreTree : IDisposable
{
    /// <summary>How many links a name may go through; as many as Linux follows.</summary>
    protected const int MaxLinks = 40;

    /// <summary>Permissions of the folders that are created, whatever the umask; null to leave them to it.</summary>
    public UnixFileMode? FolderMode { get; init; }

    /// <summary>Creates a folder of clients.</summary>
    /// <exception cref="IOException">It was not created.</exception>
    public void CreateFolder(string path)
    {
        Directory.CreateDirectory(path);
        if (FolderMode is { } mode && !OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, mode);
        }
    }

    /// <summary>The folder or file out of which no link leads; the root for everything.</summary>
    public abstract TransferName Prefix { get; }

    /// <summary>The same tree for names in one folder, out of which no link leads. Holds nothing else.</summary>
    public abstract StoreTree Within(TransferName prefix);

    /// <returns>Null when there is none of that name; a folder is none.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: a link leads out.</exception>
    public abstract SafeFileHandle? TryOpenFile(TransferName name, out FileFacts facts);

    /// <inheritdoc cref="TryOpenFile(TransferName, out FileFacts)"/>
    public SafeFileHandle? TryOpenFile(TransferName name) => TryOpenFile(name, out _);

    /// <summary>Whether a name leads to a file with these facts at this moment, without a link on the way.</summary>
    /// <returns>False also where finding that out costs no less than opening the file.</returns>
    public virtual bool Has(TransferName name, in FileFacts facts) => false;

    /// <returns>The facts of a file; null when there is none that can be opened.</returns>
    public FileFacts? TryLook(TransferName name)
    {
        try
        {
            using SafeFileHandle? file = TryOpenFile(name, out FileFacts facts);
            return file is null ? null : facts;
        }
        catch (TransferException)
        {
            return null;
        }
    }

    /// <returns>Null when there is none of that name.</returns>
    public abstract StoreFolder? TryOpenFolder(TransferName folder);

    /// <summary>Holds the folder that contains a name's file; another one if the name is a link.</summary>
    /// <param name="name">The file.</param>
    /// <param name="create">Whether missing folders are created.</param>
    /// <param name="follow">Whether the name itself is followed if it is a link.</param>
    /// <param name="fileName">The file's name in the folder.</param>
    /// <returns>Null when there is none, and none was to be created.</returns>
    public abstract StoreFolder? TryOpenFolderOf(TransferName name, bool create, bool follow, out string fileName);

    /// <summary>Holds the folder that contains a name, to which no link may lead.</summary>
    /// <param name="name">The name.</param>
    /// <param name="create">Whether missing folders are created.</param>
    /// <param name="fileName">The name in the folder.</param>
    /// <returns>Null when there is none, and none was to be created.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: a link is on the way.</exception>
    public StoreFolder? OpenPlainFolderOf(TransferName name, bool create, out string fileName)
    {
        fileName = name.FileName;
        if (TryOpenPlainFolder(name.Folder, name) is { } folder)
        {
            return folder;
        }

        if (!create)
        {
            return null;
        }

        // A link that comes meanwhile is followed in the store, and refused then.
        TryOpenFolderOf(name, create: true, follow: false, out _)?.Dispose();
        return TryOpenPlainFolder(name.Folder, name) ?? throw Errors.NoFolderPossible(name);
    }

    /// <summary>Holds a folder to which no link leads; see <see cref="OpenPlainFolderOf"/>.</summary>
    protected abstract StoreFolder? TryOpenPlainFolder(TransferName folder, TransferName name);

    public abstract FileFacts Look(SafeFileHandle file);

    public abstract void Dispose();
}

/// <summary>A folder of a store, held open while names in it are used.</summary>
internal abstract class StoreFolder : IDisposable
{
    /// <summary>The path of a name in it, or its own for an empty name; valid until this is disposed.</summary>
    public abstract string PathOf(string name);

    /// <summary>Links are not followed.</summary>
    public abstract bool TryLook(string name, out FileFacts facts, out bool isFolder, out bool isLink);

    /// <summary>
    /// Whether something that <see cref="TryLook"/> did not find is certainly gone. It may also be hidden by the rights of the folder,
    /// or have a name that is not UTF-8, which the framework shows with a replacement character.
    /// </summary>
    public bool Lacks(string name) => !name.Contains('\uFFFD') && IsMissing(name);

    /// <summary>Whether the system reports that a name does not exist.</summary>
    protected abstract bool IsMissing(string name);

    /// <summary>Renames a file or folder in it, in one step; to another file system or into itself fails.</summary>
    /// <param name="name">The name in it.</param>
    /// <param name="target">A folder of the same tree.</param>
    /// <param name="newName">The name in <paramref name="target"/>.</param>
    /// <param name="replace">Whether the new name is that of a file, which is replaced; false if it has to be free.</param>
    /// <exception cref="IOException">It was not renamed.</exception>
    public abstract void Move(string name, StoreFolder target, string newName, bool replace);

    /// <summary>Gives a file a second name, if the file system has such names.</summary>
    /// <param name="name">The name in it.</param>
    /// <param name="target">A folder of the same tree.</param>
    /// <param name="newName">The name in <paramref name="target"/>, which is free.</param>
    public virtual bool TryLink(string name, StoreFolder target, string newName) => false;

    /// <summary>Deletes a file or a link in it.</summary>
    /// <returns>False if the system reports that it was gone.</returns>
    /// <exception cref="IOException">It was not deleted.</exception>
    public abstract bool Remove(string name);

    /// <summary>Makes the names in it durable, where the system can.</summary>
    public abstract void Flush();

    public abstract void Dispose();
}
