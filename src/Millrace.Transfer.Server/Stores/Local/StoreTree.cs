using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>Finds what names stand for below a store's root, and never anything else. Thread-safe.</summary>
internal abstract class StoreTree : IDisposable
{
    /// <summary>How many links a name may go through; as many as Linux follows.</summary>
    protected const int MaxLinks = 40;

    /// <summary>Opens a file for reading.</summary>
    /// <returns>Null when there is none of that name; a folder is none.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: a link leads out.</exception>
    public abstract SafeFileHandle? TryOpenFile(TransferName name);

    /// <summary>Holds a folder.</summary>
    /// <returns>Null when there is none of that name.</returns>
    public abstract StoreFolder? TryOpenFolder(TransferName folder);

    /// <summary>Holds the folder that a name's file is in, which is another one where the name is a link.</summary>
    /// <param name="name">The file.</param>
    /// <param name="create">Whether folders that are missing are created.</param>
    /// <param name="follow">Whether the name itself is followed when it is a link.</param>
    /// <param name="fileName">The file's name in it.</param>
    /// <returns>Null when there is none, and none was to be created.</returns>
    public abstract StoreFolder? TryOpenFolderOf(TransferName name, bool create, bool follow, out string fileName);

    /// <summary>What an open file is.</summary>
    public abstract FileFacts Look(SafeFileHandle file);

    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    protected virtual void Dispose(bool disposing)
    {
    }
}

/// <summary>A folder of a store, held while names in it are used, so that it stays what it was when it was looked at.</summary>
internal abstract class StoreFolder : IDisposable
{
    /// <summary>The path of a name in it, or of itself for an empty one; valid until this is disposed.</summary>
    public abstract string PathOf(string name);

    /// <summary>What has a name in it; a link is not followed.</summary>
    /// <returns>False when nothing has it.</returns>
    public abstract bool TryLook(string name, out FileFacts facts, out bool isFolder, out bool isLink);

    /// <summary>Makes the names in it durable, where the system can.</summary>
    public abstract void Flush();

    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    protected virtual void Dispose(bool disposing)
    {
    }
}
