namespace Millrace.Tests.Docs;

/// <summary>The code samples of docs/scan.md, compiled. <see cref="ReadmeTests"/> compares them with the text there.</summary>
internal static class ScanSample
{
    // sample: begin
    public static Task<long> CountLinesAsync(string path, CancellationToken cancellationToken = default) =>
        FilePipe.ScanAsync(
            path,
            degree: 0,
            RecordBoundary.Lines,
            static async (reader, token) =>
            {
                long lines = 0;
                await reader.ForEachSegmentAsync(segment => lines += segment.Count((byte)'\n'), token);
                return lines;
            },
            static (before, next) => before + next,
            cancellationToken: cancellationToken);

    // sample: end

    // sample: begin
    public static Task<long> SumAsync(string path) => FilePipe.ScanAsync(
        path,
        degree: 0,
        RecordBoundary.Every(sizeof(long)),
        static async (reader, token) =>
        {
            long sum = 0;
            await foreach (long value in reader.ReadRecordsAsync<long>(cancellationToken: token))
            {
                sum = checked(sum + value);
            }

            return sum;
        },
        static (before, next) => checked(before + next));

    // sample: end
}
