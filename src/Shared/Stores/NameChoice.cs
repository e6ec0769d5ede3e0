namespace Millrace.Transfer.Server;

/// <summary>Applies a store's choice of names.</summary>
internal static class NameChoice
{
    /// <summary>The choice for this system.</summary>
    public static AllowedNames Default => OperatingSystem.IsWindows() ? AllowedNames.Portable : AllowedNames.Native;

    public static bool Has(this AllowedNames names, TransferName name) => names == AllowedNames.Native || name.IsPortable;

    /// <returns>The name.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: the store does not take it.</exception>
    public static TransferName Check(this AllowedNames names, TransferName name) => names.Has(name) ? name : throw Errors.NotPortable(name);
}
