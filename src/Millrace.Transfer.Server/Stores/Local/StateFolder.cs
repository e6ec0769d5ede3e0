using Millrace.Interop;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server;

/// <summary>Where a folder's tokens, digests and documents are.</summary>
internal static class StateFolder
{
    /// <param name="root">The folder that is served.</param>
    /// <param name="statePath"><see cref="LocalFileStoreOptions.StatePath"/>.</param>
    public static string Of(string root, string? statePath) =>
        Path.GetFullPath(statePath ?? Path.Combine(root, NameRules.HiddenFolder));

    /// <summary>Throws if clients could read the tokens and digests in an existing folder.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it is in the folder that is served, and not in the part that is hidden.</exception>
    public static void ThrowIfServed(string state, string root)
    {
        string hidden = Path.Combine(root, NameRules.HiddenFolder);
        if (NativeFeatures.Linux ? IsBelow(state, root, hidden) : IsPathBelow(state, root) && !IsPathBelow(state, hidden))
        {
            throw Errors.Invalid(
                $"'{state}' is in the folder '{root}', so that clients could read the tokens in it. Choose a folder outside, or '{hidden}'.");
        }
    }

    /// <summary>Whether the path up reaches the root before the hidden folder. The kernel resolves it, so that links and mounts count.</summary>
    private static bool IsBelow(string state, string root, string hidden)
    {
        if (VersionFacts.TryGet(root + "/.", out FileFacts top, out _, out _) != 0)
        {
            return true;
        }

        bool hasHidden = VersionFacts.TryGet(hidden + "/.", out FileFacts own, out _, out _) == 0;
        FileFacts last = default;
        for (string path = state + "/."; VersionFacts.TryGet(path, out FileFacts facts, out _, out _) == 0; path += "/..")
        {
            if (hasHidden && IsSame(facts, own))
            {
                return false;
            }

            if (IsSame(facts, top))
            {
                return true;
            }

            if (IsSame(facts, last))
            {
                return false;
            }

            last = facts;
        }

        return true;
    }

    private static bool IsSame(in FileFacts one, in FileFacts other) => (one.Device, one.Inode) == (other.Device, other.Inode);

    private static bool IsPathBelow(string path, string folder) =>
        (path + Path.DirectorySeparatorChar).StartsWith(folder + Path.DirectorySeparatorChar, StringComparison.OrdinalIgnoreCase);
}
