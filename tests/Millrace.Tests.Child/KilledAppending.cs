using System.Globalization;
using System.Text;

namespace Millrace.Tests.Child;

/// <summary>
/// Appends to a log with several writers until it is killed, and reports each record that is on the device:
/// <c>WRITER NUMBER</c> on the output, in one call, after the flush.
/// </summary>
internal static class KilledAppending
{
    public static async Task RunAsync(string path, int writers, int seed)
    {
        await using Stream output = Console.OpenStandardOutput();
        await Task.WhenAll(Enumerable.Range(0, writers).Select(writer => Task.Run(() => AppendAsync(path, writer, seed, output))));
    }

    private static async Task AppendAsync(string path, int writer, int seed, Stream output)
    {
        await using FileAppendWriter log = FilePipe.Append(path);
        for (int number = 0; ; number++)
        {
            await log.WriteAsync(Encoding.ASCII.GetBytes(AppendedRecord.Line(seed, writer, number)));
            byte[] acknowledged = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{writer} {number}\n"));
            lock (output)
            {
                output.Write(acknowledged);
                output.Flush();
            }
        }
    }
}
