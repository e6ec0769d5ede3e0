using System.Globalization;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>The entries that an archive lacks, which its last entry lists.</summary>
internal sealed class MissingEntries
{
    /// <summary>Characters of names that are kept; other files are only counted.</summary>
    private const int MaxNames = 64 * 1024;

    private readonly StringBuilder _names = new();
    private int _unopened;
    private int _unnamed;

    /// <summary>Entries that no listing has.</summary>
    public OmittedEntries Omitted { get; set; }

    /// <summary>Text for a reader; null if nothing is missing.</summary>
    public string? Text
    {
        get
        {
            var text = new StringBuilder();
            if (Omitted.Total > 0)
            {
                text.Append(OmittedText.Of(Omitted)).Append('\n');
            }

            if (_unopened > 0)
            {
                text.Append(CultureInfo.InvariantCulture, $"{_unopened} {(_unopened == 1 ? "entry" : "entries")} could not be opened:\n").Append(_names);
            }

            if (_unnamed > 0)
            {
                text.Append(CultureInfo.InvariantCulture, $"and {_unnamed} more\n");
            }

            return text.Length > 0 ? text.ToString() : null;
        }
    }

    /// <summary>Adds a file that could not be opened, or a folder that could not be listed.</summary>
    public void AddUnopened(string path)
    {
        _unopened++;
        if (_names.Length + path.Length < MaxNames)
        {
            _names.Append(PrintableText.Clean(path)).Append('\n');
        }
        else
        {
            _unnamed++;
        }
    }
}
