using System.Text;

namespace Millrace.Tests.Docs;

/// <summary>The code sample of docs/append.md, compiled. <see cref="ReadmeTests"/> compares it with the text there.</summary>
internal static class AppendSample
{
    // sample: begin
    public static async Task LogAsync(string path, IAsyncEnumerable<string> lines)
    {
        await using FileAppendWriter log = FilePipe.Append(path);
        await foreach (string line in lines)
        {
            Encoding.UTF8.GetBytes(line + "\n", log);

            // Completes when the device has the line: acknowledge it only then.
            await log.FlushAsync();
        }
    }

    // sample: end
}
