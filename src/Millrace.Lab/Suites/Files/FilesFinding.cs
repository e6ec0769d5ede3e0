using Millrace.Lab.Data;
using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Files;

/// <summary>The result in a sentence.</summary>
internal static class FilesFinding
{
    private const string Pipe = nameof(FileReading.FilePipe);
    private const string Stream = nameof(FileReading.FileStreamSync);
    private const int TellingBuffer = 4096;

    /// <summary>Says it of the largest file that was measured with both; null when there is none.</summary>
    public static string? Sentence(LabResults results)
    {
        CaseResult[] hot =
        [
            .. results.Cases.Where(item => item is
            {
                Summary: not null,
                Role: null,
                Parameters: { Cache: CacheNames.Hot, Options: "SequentialScan", CacheFill: not "small writes" },
            }),
        ];
        foreach (IGrouping<long, CaseResult> file in hot
            .GroupBy(item => item.Parameters.Bytes!.Value)
            .OrderBy(group => group.Key == FilesPlan.LargeSize ? 0 : 1).ThenByDescending(group => group.Key))
        {
            CaseResult[] pipes = [.. file.Where(item => item.Method == Pipe)];
            CaseResult[] streams = [.. file.Where(item => item.Method == Stream)];
            if (pipes.Length > 0 && streams.Length > 0)
            {
                return Sentence(ByteSize.ToText(file.Key), pipes, streams);
            }
        }

        return null;
    }

    private static string Sentence(string file, CaseResult[] pipes, CaseResult[] streams)
    {
        CaseResult bestPipe = pipes.MinBy(CaseLookup.Median)!;
        CaseResult bestStream = streams.MinBy(CaseLookup.Median)!;
        string best = $"at its best ({Buffer(bestPipe)}) in {Ms(bestPipe)} ms, "
            + $"{CaseLookup.Median(bestPipe) / CaseLookup.Median(bestStream):0.00} of FileStream's best "
            + $"({Ms(bestStream)} ms at {Buffer(bestStream)})";
        CaseResult? pipe = Array.Find(pipes, item => item.Parameters.Buffer == TellingBuffer);
        CaseResult? stream = Array.Find(streams, item => item.Parameters.Buffer == TellingBuffer);
        return pipe is null || stream is null
            ? $"FilePipe read {file} {best}."
            : $"FilePipe read {file} in {Ms(pipe)} ms at {Buffer(pipe)}, "
                + $"{CaseLookup.Median(pipe) / CaseLookup.Median(stream):0.00} of FileStream's {Ms(stream)} ms; {best}.";
    }

    private static string Buffer(CaseResult item) => ByteSize.ToText(item.Parameters.Buffer!.Value);

    private static string Ms(CaseResult item) => (CaseLookup.Median(item) / 1e6).ToString(
        CaseLookup.Median(item) < 1e6 ? "0.000" : "0.0", System.Globalization.CultureInfo.InvariantCulture);
}
