namespace Millrace.Tests.Child;

/// <summary>
/// Appends records of 300 bytes until one fails, as the limit on the length of files (<c>ulimit -f</c>) makes it, then one
/// of 10 bytes, which fits. Prints the failures and the length of the file.
/// </summary>
internal static class LimitedAppending
{
    private const int RecordBytes = 300;

    public static async Task RunAsync(string path, bool portable, Durability durability)
    {
        if (portable)
        {
            AppContext.SetSwitch("Millrace.Portable", true);
        }

        var options = new FileAppendOptions { Durability = durability };
        FileAppendWriter first = FilePipe.Append(path, options);
        try
        {
            while (true)
            {
                await first.WriteAsync(new byte[RecordBytes]);
            }
        }
        catch (FilePipeException exception)
        {
            Console.WriteLine($"{exception.Error} {exception.Offset} {first.UnflushedBytes} {new FileInfo(path).Length}");
        }

        await using FileAppendWriter second = FilePipe.Append(path, options);
        await second.WriteAsync(new byte[10]);
        Console.WriteLine($"{second.LastFlushOffset} {new FileInfo(path).Length}");
        first.Complete(new IOException("The rest does not fit."));
    }
}
