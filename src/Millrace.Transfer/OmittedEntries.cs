using System.Globalization;

namespace Millrace.Transfer;

/// <summary>How many entries of a folder a listing leaves out, by reason: no request could name them or get them.</summary>
public readonly record struct OmittedEntries
{
    /// <summary>Those whose names the store does not take.</summary>
    public int Names { get; init; }

    /// <summary>Those that are neither a file nor a folder, and links that lead nowhere or out of the store.</summary>
    public int Kinds { get; init; }

    /// <summary>Those that the store may not read.</summary>
    public int Unreadable { get; init; }

    /// <summary>Those for which the server gives no reason.</summary>
    public int Others { get; init; }

    /// <summary>All of them.</summary>
    public int Total => Names + Kinds + Unreadable + Others;

    /// <summary>Adds two counts.</summary>
    /// <param name="left">A count.</param>
    /// <param name="right">Another one.</param>
    /// <returns>Their sum, for each reason.</returns>
    public static OmittedEntries operator +(OmittedEntries left, OmittedEntries right) => new()
    {
        Names = left.Names + right.Names,
        Kinds = left.Kinds + right.Kinds,
        Unreadable = left.Unreadable + right.Unreadable,
        Others = left.Others + right.Others,
    };

    /// <summary>Adds two counts, as the operator does.</summary>
    /// <param name="left">A count.</param>
    /// <param name="right">Another one.</param>
    /// <returns>Their sum, for each reason.</returns>
    public static OmittedEntries Add(OmittedEntries left, OmittedEntries right) => left + right;

    /// <summary>Lists the reasons that apply, each with its number: <c>9 with names that the server does not take, 1 that it may not read</c>.</summary>
    /// <returns>Text after a colon; empty for none.</returns>
    public override string ToString() => string.Join(
        ", ",
        new (int Count, string Reason)[]
        {
            (Names, "with names that the server does not take"),
            (Kinds, "that are no files or folders, or links that lead nowhere or out"),
            (Unreadable, "that the server may not read"),
            (Others, "for a reason that the server does not give"),
        }.Where(static part => part.Count > 0).Select(static part => string.Create(CultureInfo.InvariantCulture, $"{part.Count} {part.Reason}")));

    /// <summary>The counts that a response has, of which nothing is certain.</summary>
    internal static OmittedEntries Of(int? total, int? names, int? kinds, int? unreadable)
    {
        var known = new OmittedEntries { Names = Math.Max(0, names ?? 0), Kinds = Math.Max(0, kinds ?? 0), Unreadable = Math.Max(0, unreadable ?? 0) };
        return known with { Others = (int)Math.Max(0, (long)(total ?? 0) - known.Names - known.Kinds - known.Unreadable) };
    }
}
