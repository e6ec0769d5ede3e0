using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Writes;

/// <summary>The result in a sentence.</summary>
internal static class WritesFinding
{
    private const string Pipe = nameof(FileWriting.FilePipe);
    private const string Stream = nameof(FileWriting.FileStreamSync);
    private const string Append = nameof(RecordAppending.FilePipeAppend);

    /// <summary>Says what was measured of writing, of durability and of appending; null when none of it was.</summary>
    public static string? Sentence(LabResults results)
    {
        var cases = new WritesLookup(results);
        string[] parts =
        [
            .. new[]
            {
                Writing(cases, WritesPlan.None, "FilePipe wrote"),
                Writing(cases, WritesPlan.Commit, "it committed durably"),
                Appending(cases),
            }.OfType<string>(),
        ];
        if (parts.Length == 0)
        {
            return null;
        }

        string all = string.Join("; ", parts);
        return all.StartsWith("it ", StringComparison.Ordinal) ? $"FilePipe{all["it".Length..]}." : all + ".";
    }

    private static string? Writing(WritesLookup cases, string durability, string begin)
    {
        CaseResult? mine = cases.Writing(Pipe, durability).Where(item => cases.Same(Stream, item) is not null)
            .OrderBy(item => item.Parameters.Chunk == WritesPlan.MainChunk ? 0 : 1)
            .ThenByDescending(item => item.Parameters.Bytes)
            .FirstOrDefault();
        if (mine is null)
        {
            return null;
        }

        CaseResult stream = cases.Same(Stream, mine)!;
        return FormattableString.Invariant(
            $"{begin} {ByteSize.ToText(mine.Parameters.Bytes!.Value)} in {WritesLookup.Time(mine)} at {ByteSize.ToText(mine.Parameters.Chunk!.Value)}, {WritesLookup.Median(mine) / WritesLookup.Median(stream):0.00} of FileStream's {WritesLookup.Time(stream)}");
    }

    private static string? Appending(WritesLookup cases) =>
        cases.Appending(Append, WritesPlan.Writers[0]) is { } one && cases.Appending(Append, WritesPlan.Writers[^1]) is { } many
            ? $"{WritesPlan.Writers[^1]} writers appended {WritesLookup.Rate(many)} durable records a second, one {WritesLookup.Rate(one)}"
            : null;
}
