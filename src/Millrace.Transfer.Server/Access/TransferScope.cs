namespace Millrace.Transfer.Server;

/// <summary>The operations that a token allows.</summary>
[Flags]
public enum TransferScope
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Reading files.</summary>
    Read = 1,

    /// <summary>Writing and replacing files.</summary>
    Write = 2,

    /// <summary>Deleting files.</summary>
    Delete = 4,

    /// <summary>Listing folders.</summary>
    List = 8,

    /// <summary>Signing links for files that the token may read or write itself.</summary>
    Link = 16,

    /// <summary>Everything.</summary>
    All = Read | Write | Delete | List | Link,
}
