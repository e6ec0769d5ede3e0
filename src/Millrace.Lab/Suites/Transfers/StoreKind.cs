using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>What one of Millrace's servers is like that a run needs.</summary>
/// <param name="WithDigest">Whether its store hashes what arrives.</param>
/// <param name="Durability">What its files survive.</param>
/// <param name="OfArrays">Whether it is an <see cref="ArrayServer"/>.</param>
internal readonly record struct StoreKind(bool WithDigest, Durability Durability, bool OfArrays)
{
    /// <summary>What its folder is called.</summary>
    public string Name =>
        $"{(WithDigest ? TransfersPlan.Sha256 : TransfersPlan.None)}-{(Durability == Durability.None ? TransfersPlan.None : TransfersPlan.Commit)}{(OfArrays ? "-arrays" : "")}";
}
