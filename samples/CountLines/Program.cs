// Counts the lines of a file as `wc -l` does, with a reader for every processor.
using Millrace;

if (args is not [string path])
{
    Console.Error.WriteLine("Usage: CountLines FILE");
    return 1;
}

try
{
    long lines = await FilePipe.ScanAsync(
        path, degree: 0, RecordBoundary.Lines, CountAsync, static (before, next) => before + next);
    Console.WriteLine(lines);
    return 0;
}
catch (FilePipeException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

static async ValueTask<long> CountAsync(FilePipeReader reader, CancellationToken cancellationToken)
{
    long lines = 0;
    await reader.ForEachSegmentAsync(segment => lines += segment.Count((byte)'\n'), cancellationToken);
    return lines;
}
