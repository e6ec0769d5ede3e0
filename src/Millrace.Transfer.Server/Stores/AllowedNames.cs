namespace Millrace.Transfer.Server;

/// <summary>The names of files and folders that a store takes and lists.</summary>
public enum AllowedNames
{
    /// <summary>Names that every system can have: see <see cref="TransferName.IsPortable"/>.</summary>
    Portable,

    /// <summary>All valid names that the store's system can have, for example <c>12:30.png</c> on Linux. The same as portable ones on Windows.</summary>
    Native,
}
