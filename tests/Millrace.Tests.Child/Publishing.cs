using System.Buffers.Binary;
using System.Globalization;

namespace Millrace.Tests.Child;

/// <summary>
/// Publishes one version of a file after another until it is killed, and prints the number of each once the commit
/// has published it.
/// </summary>
internal static class Publishing
{
    /// <param name="folder">Where the files are.</param>
    /// <param name="mode">"replace" for one file again and again, "create" for a new one each time.</param>
    /// <param name="strategy">How to write.</param>
    /// <param name="first">The first version's number.</param>
    public static async Task RunAsync(string folder, string mode, string strategy, string first)
    {
        var options = new FileWriteOptions
        {
            Strategy = Enum.Parse<WriteStrategy>(strategy),
            CreateNew = mode == "create",
        };
        for (long version = long.Parse(first, CultureInfo.InvariantCulture); ; version++)
        {
            string name = mode == "create" ? version.ToString(CultureInfo.InvariantCulture) : "file";
            await using FilePipeWriter writer = FilePipe.Create(Path.Combine(folder, name), options);
            await WriteAsync(writer, version);
            await writer.CommitAsync();
            Console.WriteLine(version);
        }
    }

    private static async Task WriteAsync(FilePipeWriter writer, long version)
    {
        int left = PublishedVersion.LengthOf(version);
        while (left > 0)
        {
            int piece = Math.Min(left, 4096);
            Memory<byte> memory = writer.GetMemory(piece)[..piece];
            for (int i = 0; i < piece; i += sizeof(long))
            {
                BinaryPrimitives.WriteInt64LittleEndian(memory.Span[i..], version);
            }

            writer.Advance(piece);
            left -= piece;
            if (writer.UnflushedBytes >= 100_000)
            {
                await writer.FlushAsync();
            }
        }
    }
}
