namespace Millrace.Transfer.Server;

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
