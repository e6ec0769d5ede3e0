using MAB.DotIgnore;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>Which files are synced: patterns in the syntax of .gitignore, by names below the folder.</summary>
/// <param name="includes">A file has to match one of these, if there are any.</param>
/// <param name="excludes">It may not match these; as in .gitignore, <c>!</c> takes a pattern back, and the last one that matches decides.</param>
internal sealed class SyncFilter(IReadOnlyCollection<string> includes, IReadOnlyCollection<string> excludes)
{
    private readonly IgnoreList? _includes = ListOf(includes);
    private readonly IgnoreList? _excludes = ListOf(excludes);

    // Names come in order, so that those of a folder follow one another.
    private (TransferName Name, bool IsIncluded, bool IsExcluded)? _folder;

    public bool IsEmpty => _includes is null && _excludes is null;

    public bool Takes(TransferName name)
    {
        (bool included, bool excluded) = Look(name, isFolder: false);
        return included && !excluded;
    }

    /// <summary>Everything in a matching folder matches, too.</summary>
    private (bool IsIncluded, bool IsExcluded) Look(TransferName name, bool isFolder)
    {
        (bool included, bool excluded) = name.Folder.IsRoot ? (_includes is null, false) : LookAtFolder(name.Folder);
        return (included || _includes!.IsIgnored(name.Value, isFolder), excluded || _excludes?.IsIgnored(name.Value, isFolder) is true);
    }

    private (bool IsIncluded, bool IsExcluded) LookAtFolder(TransferName folder)
    {
        if (_folder is not { } known || known.Name != folder)
        {
            (bool included, bool excluded) = Look(folder, isFolder: true);
            _folder = known = (folder, included, excluded);
        }

        return (known.IsIncluded, known.IsExcluded);
    }

    private static IgnoreList? ListOf(IReadOnlyCollection<string> patterns) => patterns.Count == 0 ? null : new IgnoreList(patterns);
}
