using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>The result in a sentence.</summary>
internal static class BytesFinding
{
    /// <summary>Says it of the first source that has the telling cases; null when there is none.</summary>
    public static string? Sentence(LabResults results)
    {
        var cases = new BytesLookup(results);
        foreach (string source in new[] { ByteSource.FileName, ByteSource.HttpName })
        {
            if (cases.Of(BytesPlan.PlainSequence, source) is { } plain
                && cases.Of(BytesPlan.Sequence, source) is { } sequence
                && cases.Of(BytesPlan.Segments, source) is { } segments)
            {
                return FormattableString.Invariant(
                    $"await foreach over {ByteSize.ToText(plain.Parameters.Bytes ?? 0)} from a {Word(source)} took {BytesLookup.Time(plain)} with a plain async sequence and {BytesLookup.Time(sequence)} with ReadBytesAsync ({BytesLookup.Median(sequence) / BytesLookup.Median(plain):0.00}); ForEachSegmentAsync with vectors took {BytesLookup.Time(segments)}.");
            }
        }

        return null;
    }

    private static string Word(string source) => source == ByteSource.HttpName ? "server" : "file";
}
