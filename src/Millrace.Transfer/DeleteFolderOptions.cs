namespace Millrace.Transfer;

/// <summary>How a folder is deleted with everything in it.</summary>
public readonly record struct DeleteFolderOptions
{
    /// <summary>
    /// Whether files and folders that the server hides are deleted with it. False by default: a folder that contains some is refused, with
    /// <see cref="TransferException.Hidden"/>.
    /// </summary>
    public bool IncludeHidden { get; init; }
}
