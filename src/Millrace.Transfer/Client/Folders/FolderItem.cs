namespace Millrace.Transfer;

/// <summary>A file of a folder that is moved.</summary>
/// <param name="Name">Its name in the store; <c>default</c> when it has none.</param>
/// <param name="Path">Its path here.</param>
/// <param name="Fault">Why it has no name; null when it has.</param>
internal readonly record struct FolderItem(TransferName Name, string Path, TransferException? Fault = null)
{
    public void ThrowIfUnusable()
    {
        if (Fault is not null)
        {
            throw Fault;
        }
    }
}
