
namespace Millrace.Lab.Advising;

/// <summary>The cases of the suite "writes" by what they do; none in a run of another suite.</summary>
internal static class WriteCases
{
    public const string FileStream = "FileStreamSync";
    public const string FilePipe = "FilePipe";
    public const string None = "none";
    public const string Commit = "commit";

    /// <summary>The cases of making a file, without or with waiting for the device.</summary>
    public static IEnumerable<CaseResult> Writing(SituatedCases cases, string durability) =>
        cases.All.Where(item => item.Parameters.Chunk is not null && item.Parameters.Durability == durability);

    /// <summary>The cases of copying one.</summary>
    public static IEnumerable<CaseResult> Copying(SituatedCases cases) => cases.All.Where(item =>
        item.Parameters is { Durability: not null, Chunk: null, Records: null });

    /// <summary>The cases of reading one in parts, by content.</summary>
    public static IEnumerable<IGrouping<CaseParameters, CaseResult>> Scanning(SituatedCases cases) => cases.All
        .Where(item => item.Parameters.Degree is not null)
        .GroupBy(item => item.Parameters.WithoutDegree())
        .OrderBy(group => group.Key.Content, StringComparer.Ordinal);

    /// <summary>The cases of appending, the fewest writers first.</summary>
    public static IEnumerable<CaseResult> Appending(SituatedCases cases) => cases.All
        .Where(item => item.Parameters is { Writers: not null, Records: > 0 })
        .OrderBy(item => item.Parameters.Writers);

    /// <summary>The chunk of a case, for example "64 KiB".</summary>
    public static string Chunk(CaseResult item) => ByteSize.ToText(item.Parameters.Chunk ?? 0);

    /// <summary>The length of a case's file, for example "128 MiB".</summary>
    public static string Length(CaseResult item) => ByteSize.ToText(item.Parameters.Bytes ?? 0);

    /// <summary>The time and the ratio to another case.</summary>
    public static string Against(CaseResult item, CaseResult other) => item == other
        ? Figures.Time(item)
        : $"{Figures.Time(item)}, {Figures.Ratio(Figures.Median(item) / Figures.Median(other))} of {other.Method}";
}
