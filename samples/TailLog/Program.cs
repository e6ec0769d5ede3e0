// Prints the lines of a log, and every further one as it comes, also when the log is rotated. Ctrl-C ends it.
using System.Globalization;
using Millrace;

using var stop = new CancellationTokenSource();
switch (args)
{
    case [_]:
        break;
    case [_, "--for", string text] when double.TryParse(text, CultureInfo.InvariantCulture, out double seconds):
        stop.CancelAfter(TimeSpan.FromSeconds(seconds));
        break;
    default:
        Console.Error.WriteLine("Usage: TailLog FILE [--for SECONDS]");
        return 1;
}

Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    stop.Cancel();
};

try
{
    await using FilePipeReader reader = FilePipe.OpenRead(args[0], new FileReadOptions { Follow = FollowMode.Name });
    await using Stream output = Console.OpenStandardOutput();
    await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync(cancellationToken: stop.Token))
    {
        output.Write(line.Span);
        output.WriteByte((byte)'\n');
    }

    return 0;
}
catch (OperationCanceledException)
{
    return 0;
}
catch (FilePipeException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}
