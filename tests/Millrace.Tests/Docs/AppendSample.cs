using System.Text;

namespace Millrace.Tests.Docs;

/// <summary>The code sample of docs/append.md, compiled. <see cref="AppendTests"/> compares it with the text there.</summary>
internal static class AppendSample
{
    // sample: begin
    public static async Task LogAsync(string path, IAsyncEnumerable<string> lines)
    {
        await using FilePipeWriter log = FilePipe.Append(path);
        await foreach (string line in lines)
        {
            Encoding.UTF8.GetBytes(line + "\n", log);

            // Completes when the device has the line: only then may anybody be told that it is safe.
            await log.FlushAsync();
        }
    }

    // sample: end
}
