namespace Millrace.Transfer;

/// <summary>How a file or folder is moved.</summary>
public readonly record struct MoveOptions
{
    /// <summary>The condition on the file before it is moved. A folder meets only the default.</summary>
    public WritePrecondition Source { get; init; }

    /// <summary>Whether a file may replace the file that has the new name. False by default; a folder never replaces anything.</summary>
    public bool Replace { get; init; }

    /// <summary>
    /// Whether files and folders that the server hides are moved with the folder that they are in. False by default: a folder that contains
    /// some is refused, with <see cref="TransferException.Hidden"/>.
    /// </summary>
    public bool IncludeHidden { get; init; }
}
