namespace Millrace.Tests.Docs;

/// <summary>The code sample of README.md, compiled. <see cref="ReadmeTests"/> compares it with the text there.</summary>
internal static class ReadmeSample
{
    // sample: begin
    public static async Task<long> CountLinesAsync(string path, CancellationToken cancellationToken = default)
    {
        long lines = 0;
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        while (true)
        {
            ReadResult result = await reader.ReadAsync(cancellationToken);
            lines += result.Buffer.FirstSpan.Count((byte)'\n');
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return lines;
            }
        }
    }

    // sample: end
}
