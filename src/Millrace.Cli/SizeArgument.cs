using System.CommandLine;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Millrace.Cli;

/// <summary>Sizes in bytes as people type them: <c>1000</c>, <c>64K</c>, <c>10GiB</c> and <c>500MB</c>.</summary>
internal static class SizeArgument
{
    public const string Examples = "1000, 64K, 10GiB or 500MB";

    private static readonly (string Suffix, long Bytes)[] Units =
    [
        ("KIB", 1L << 10), ("MIB", 1L << 20), ("GIB", 1L << 30), ("TIB", 1L << 40),
        ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("K", 1L << 10), ("M", 1L << 20), ("G", 1L << 30), ("T", 1L << 40),
        ("B", 1), ("", 1),
    ];

    /// <summary>Creates an option that takes a size; null without one.</summary>
    /// <param name="name">With its hyphens.</param>
    /// <param name="description">For the help.</param>
    /// <param name="min">In bytes.</param>
    /// <param name="max">In bytes.</param>
    /// <param name="range">The two as people type them.</param>
    public static Option<long?> Option(string name, string description, long min = 0, long max = long.MaxValue, string range = "") =>
        ParsedOption.Create<long?>(name, "SIZE", description, (text, out size) =>
        {
            bool isSize = TryParse(text, out long bytes);
            size = bytes;
            return !isSize ? $"'{text}' is not a valid size; use {Examples}."
                : bytes < min || bytes > max ? $"'{text}' is out of range; use {range}."
                : null;
        });

    /// <summary>Parses a size of 0 or more.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out long bytes)
    {
        bytes = 0;
        string upper = (text ?? "").Trim().ToUpperInvariant();
        (string suffix, long unit) = Units.First(item => upper.EndsWith(item.Suffix, StringComparison.Ordinal));
        if (!decimal.TryParse(
                upper[..^suffix.Length].TrimEnd(), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal number)
            || number > long.MaxValue / unit)
        {
            return false;
        }

        bytes = (long)(number * unit);
        return true;
    }
}
