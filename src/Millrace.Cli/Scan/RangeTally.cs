namespace Millrace.Cli.Scan;

/// <summary>What a range, or several that follow each other, came to.</summary>
/// <param name="Value">The number that was asked for.</param>
/// <param name="Bytes">How many bytes were read.</param>
/// <param name="Rest">How many of them, at the end, are no whole record.</param>
internal readonly record struct RangeTally(Int128 Value, long Bytes, long Rest)
{
    /// <summary>The tally of a range and the one that follows it.</summary>
    public static RangeTally operator +(RangeTally left, RangeTally right) => new(
        left.Value + right.Value,
        left.Bytes + right.Bytes,

        // A range ends with a record unless the file ends there; one without bytes is a file without any.
        right.Rest);
}
