namespace Millrace.Transfer.Server;

/// <summary>Selects the names to find.</summary>
public readonly record struct SearchFilesOptions
{
    /// <summary>The folder below which names are searched; <c>default</c> for the root.</summary>
    public TransferName Folder { get; init; }

    /// <summary>Words that a name has to contain, in any order; case and accents do not matter. 255 characters at most.</summary>
    public string Text { get; init; }
}
