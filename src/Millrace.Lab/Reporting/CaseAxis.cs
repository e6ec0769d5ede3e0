using System.Globalization;

namespace Millrace.Lab.Reporting;

/// <summary>The parameter that the rows of a table differ in besides the method.</summary>
internal static class CaseAxis
{
    /// <summary>The parameters that a table's cases have in common.</summary>
    public static CaseParameters Without(CaseParameters parameters) =>
        parameters.WithoutDegree() with { Buffer = null, Chunk = null };

    /// <summary>What the column is called.</summary>
    public static string TitleOf(IReadOnlyList<CaseResult> cases) => (cases.Count > 0 ? cases[0].Parameters : null) switch
    {
        { Chunk: not null } => "Chunk",
        { Degree: not null } => "Parts",
        { Writers: not null } => "Writers",
        _ => "Buffer",
    };

    /// <summary>A case's value; empty where it has none.</summary>
    public static string Cell(CaseResult item) => (item.Parameters.Buffer ?? item.Parameters.Chunk) is { } bytes
        ? ByteSize.ToText(bytes)
        : Number(item)?.ToString(CultureInfo.InvariantCulture) ?? "";

    /// <summary>The same to sort by.</summary>
    public static int? Number(CaseResult item) =>
        item.Parameters.Buffer ?? item.Parameters.Chunk ?? item.Parameters.Degree ?? item.Parameters.Writers;
}
