namespace Millrace.Lab.Reporting.Html;

/// <summary>Things that many cases share, written once and referred to by their index.</summary>
internal sealed class IndexedList
{
    private readonly Dictionary<string, int> _indexes = new(StringComparer.Ordinal);
    private readonly List<string> _items = [];

    /// <summary>In the order of their first use.</summary>
    public IReadOnlyList<string> Items => _items;

    /// <summary>Where the text is; adds it when it is new.</summary>
    public int IndexOf(string item)
    {
        if (!_indexes.TryGetValue(item, out int index))
        {
            index = _items.Count;
            _items.Add(item);
            _indexes.Add(item, index);
        }

        return index;
    }
}
