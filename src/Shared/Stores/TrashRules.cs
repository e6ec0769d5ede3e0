using System.Globalization;
using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>What both stores have in common about their trash.</summary>
internal static class TrashRules
{
    private const int TimeDigits = 12;
    private const int RandomDigits = 20;

    /// <summary>An id that sorts by time and cannot be guessed.</summary>
    public static string NewId(DateTimeOffset now) => string.Create(
        CultureInfo.InvariantCulture,
        $"{now.ToUnixTimeMilliseconds():x12}{RandomNumberGenerator.GetHexString(RandomDigits, lowercase: true)}");

    public static bool IsId(string text) =>
        text.Length == TimeDigits + RandomDigits && text.All(static digit => char.IsAsciiHexDigitLower(digit));

    /// <summary>When an entry was made, by its id.</summary>
    public static DateTimeOffset TimeOf(string id) => DateTimeOffset.FromUnixTimeMilliseconds(
        long.Parse(id.AsSpan(0, TimeDigits), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));

    /// <summary>Whether an entry's name is the prefix of the options, or in it.</summary>
    public static bool Includes(in ListTrashOptions options, TransferName name) =>
        options.Prefix.IsRoot || name == options.Prefix || name.IsIn(options.Prefix);

    public static TransferException NotFound(string id) => new(
        TransferError.NotFound, $"There is nothing with the id '{id}' in the trash: it was restored or deleted. List the trash again.");
}

/// <summary>The record of an entry of the trash.</summary>
internal sealed record TrashRecord
{
    [JsonPropertyName("name")]
    public string Name { get; init; } = "";

    [JsonPropertyName("folder")]
    public bool IsFolder { get; init; }

    [JsonPropertyName("bytes")]
    public long Bytes { get; init; }

    [JsonPropertyName("by")]
    public string? By { get; init; }

    [JsonPropertyName("replaced")]
    public bool IsReplaced { get; init; }

    /// <returns>Null if another program has changed the record.</returns>
    public TrashEntry? ToEntry(string id) => TransferName.TryParse(Name, out TransferName name)
        ? new TrashEntry(id, name, IsFolder, Bytes, TrashRules.TimeOf(id), By, IsReplaced)
        : null;
}
