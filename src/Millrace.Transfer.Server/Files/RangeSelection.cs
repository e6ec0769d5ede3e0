using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Which bytes of a file the field <c>Range</c> asks for (RFC 9110, section 14).</summary>
internal static partial class RangeSelection
{
    /// <summary>Ranges that one request may ask for.</summary>
    /// <remarks>
    /// More than any client has a use for, and few enough that the heads of their parts cost nothing. Section 14.2 has
    /// servers refuse what looks like an attack.
    /// </remarks>
    public const int MaxRanges = 64;

    /// <summary>Reads the field.</summary>
    /// <param name="field">The field.</param>
    /// <param name="length">Bytes of the file.</param>
    /// <param name="ranges">
    /// What to send, within the file and without overlaps: in the order they were asked for, or in that of the file when some
    /// had to be merged. Empty when nothing that was asked for is in the file, or too much was.
    /// </param>
    /// <returns>
    /// False when the whole file is to be sent: the field is missing, cannot be read, or counts in units other than bytes.
    /// </returns>
    public static bool TrySelect(StringValues field, long length, out IReadOnlyList<ByteRange> ranges)
    {
        ranges = [];
        if (field.Count != 1
            || !RangeHeaderValue.TryParse(LongNumeral().Replace(field.ToString(), Clamp), out RangeHeaderValue? wanted)
            || !wanted.Unit.Equals("bytes", StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }

        if (wanted.Ranges.Count > MaxRanges)
        {
            return true;
        }

        var selected = new List<ByteRange>(wanted.Ranges.Count);
        foreach (RangeItemHeaderValue item in wanted.Ranges)
        {
            if (Resolve(item, length) is { Length: > 0 } range)
            {
                selected.Add(range);
            }
        }

        ranges = Merged(selected);
        return true;
    }

    /// <summary>Numerals may have any number of digits (section 14.1.2), and the framework reads those that fit into a long.</summary>
    [GeneratedRegex("[0-9]{19,}")]
    private static partial Regex LongNumeral();

    private static string Clamp(Match numeral) =>
        (long.TryParse(numeral.ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture, out long value) ? value : long.MaxValue)
        .ToString(CultureInfo.InvariantCulture);

    private static ByteRange Resolve(RangeItemHeaderValue item, long length)
    {
        if (item.From is not { } from)
        {
            // The last bytes; all of them when that is more than there are.
            long last = Math.Min(item.To ?? 0, length);
            return new ByteRange(length - last, last);
        }

        if (from >= length)
        {
            return default;
        }

        long end = item.To is { } to && to < length ? to + 1 : length;
        return new ByteRange(from, end - from);
    }

    /// <summary>Nothing is sent twice: otherwise a short request could ask for many times the file.</summary>
    private static List<ByteRange> Merged(List<ByteRange> ranges)
    {
        List<ByteRange> sorted = [.. ranges.OrderBy(static range => range.Offset)];
        var merged = new List<ByteRange>(sorted.Count);
        foreach (ByteRange range in sorted)
        {
            if (merged.Count > 0 && range.Offset <= merged[^1].End)
            {
                ByteRange before = merged[^1];
                merged[^1] = before with { Length = Math.Max(before.End, range.End) - before.Offset };
            }
            else
            {
                merged.Add(range);
            }
        }

        return merged.Count == ranges.Count ? ranges : merged;
    }

    /// <summary>For example <c>bytes 0-99/1234</c>.</summary>
    public static string ContentRange(ByteRange range, long length) => $"bytes {range.Offset}-{range.End - 1}/{length}";

    /// <summary>For a range that is not in a file of this length.</summary>
    public static Refusal NotSatisfiable(StringValues field, StoredFile file) => new(
        TransferError.RangeNotSatisfiable,
        $"No byte of the range '{NameEncoding.Printable(field.ToString())}' can be sent: '{file.Name}' has {file.Length} bytes, and at most {MaxRanges} ranges are accepted.",
        file.Name.Value)
    {
        Status = StatusCodes.Status416RangeNotSatisfiable,
        Field = HeaderNames.ContentRange,
        FieldValue = $"bytes */{file.Length}",
    };
}
