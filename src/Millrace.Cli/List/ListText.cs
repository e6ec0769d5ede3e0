using System.Globalization;
using Millrace.Cli.Copy;
using Millrace.Transfer;

namespace Millrace.Cli.List;

/// <summary>Entries of a listing for a person.</summary>
internal static class ListText
{
    /// <summary>The name below the folder that is listed; a folder's with a slash.</summary>
    public static string NameOf(RemoteEntry entry, TransferName folder)
    {
        string name = !folder.IsRoot && entry.Name != folder && entry.Name.IsIn(folder)
            ? entry.Name.Value[(folder.Value.Length + 1)..]
            : entry.Name.Value;
        return entry.IsFolder ? name + "/" : name;
    }

    /// <summary>For example <c>1.2 GiB  2026-05-02 17:03  "6f1c…"  may.csv</c>, the time that of this machine.</summary>
    public static string Long(RemoteEntry entry, TransferName folder)
    {
        string size = entry.Length is { } length ? SizeText.Of(length) : "";
        string time = entry.Modified is { } modified
            ? modified.ToLocalTime().ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture)
            : "";
        return $"{size,9}  {time,16}  {entry.Tag?.ToString() ?? "",-24}  {NameOf(entry, folder)}";
    }
}
