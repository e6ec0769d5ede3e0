namespace Millrace.Transfer.S3;

/// <summary>Keys in the order of a bucket that are still to be listed.</summary>
/// <param name="After">The key before the first one; null to begin at the beginning.</param>
/// <param name="End">The last key that can be in it; null to go on to the end.</param>
/// <param name="Folder">The folder of the last file that was found before it.</param>
/// <param name="Pages">Pages that were read since it was divided.</param>
internal sealed record KeyRange(string? After, string? End, TransferName Folder, int Pages)
{
    private const string Digits = "0123456789";
    private const string Upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private const string Lower = "abcdefghijklmnopqrstuvwxyz";

    public bool Has(string key) => (After is null || Keys.Compare(key, After) > 0) && (End is null || Keys.Compare(key, End) <= 0);

    /// <summary>Divides it into ranges that follow one another.</summary>
    /// <param name="keys">Where it can be divided, in order: each may end a range.</param>
    /// <param name="count">Ranges at most.</param>
    public IReadOnlyList<KeyRange> Divide(IReadOnlyList<string> keys, int count)
    {
        int cuts = Math.Min(keys.Count, count - 1);
        var ranges = new List<KeyRange>(cuts + 1);
        string? after = After;
        for (int i = 1; i <= cuts; i++)
        {
            string cut = keys[(i * (keys.Count + 1) / (cuts + 1)) - 1];
            ranges.Add(new KeyRange(after, cut, Folder, Pages: 0));
            after = cut;
        }

        ranges.Add(new KeyRange(after, End, Folder, Pages: 0));
        return ranges;
    }

    /// <summary>
    /// Guesses keys that divide what is left of a folder: names of many files count on. Of two keys of which the first has <c>IMG_1</c>
    /// where the second has <c>IMG_2</c>, it goes on with <c>IMG_3</c> to <c>IMG_9</c>.
    /// </summary>
    /// <param name="folderLength">Characters of the folder's key.</param>
    /// <param name="earlier">A key of the folder before <see cref="After"/>.</param>
    public IReadOnlyList<string> Guess(int folderLength, string earlier)
    {
        int differs = After!.AsSpan().CommonPrefixLength(earlier);
        var keys = new List<string>();
        for (int at = Math.Min(differs, After!.Length - 1); at >= Math.Max(folderLength, differs - 1); at--)
        {
            string letters = After[at] switch
            {
                >= '0' and <= '9' => Digits,
                >= 'A' and <= 'Z' => Upper,
                >= 'a' and <= 'z' => Lower,
                _ => "",
            };
            keys.AddRange(letters.Where(letter => letter > After[at]).Select(letter => After[..at] + letter).Where(Has));
        }

        return keys;
    }
}
