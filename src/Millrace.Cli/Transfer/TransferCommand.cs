using System.CommandLine;
using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What put, get, ls and rm do around their work: signals, and telling of what went wrong.</summary>
internal static class TransferCommand
{
    /// <summary>As many as a command line takes; the parser has no word for more.</summary>
    public const int MaxPaths = 100_000;

    /// <summary>Does the work.</summary>
    /// <param name="name">The command, for messages.</param>
    /// <param name="options">The options of the command line.</param>
    /// <param name="parsed">The command line.</param>
    /// <param name="url">What it is about, for messages in JSON.</param>
    /// <param name="work">Does it and returns an <see cref="ExitCode"/>.</param>
    public static int Run(
        string name,
        TransferOptionSet options,
        ParseResult parsed,
        string url,
        Func<TransferSettings, CancellationToken, Task<int>> work)
    {
        TransferSettings? settings = null;
        using var stop = new StopSignal();
        try
        {
            settings = options.Read(parsed);
            return work(settings, stop.Token).GetAwaiter().GetResult();
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            Console.Error.WriteLine($"millrace {name}: stopped.");
            return ExitCode.Stopped;
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception))
        {
            Tell(name, settings?.Json ?? false, url, exception);
            return ExitCode.TransferFailed;
        }
    }

    /// <summary>Tells why something about a URL failed.</summary>
    public static void Tell(string name, bool json, string url, Exception exception)
    {
        if (json)
        {
            WriteLine(Console.Out, FailureLine.Of(TransferTarget.WithoutQuery(url), exception).ToJson());
            return;
        }

        Console.Error.WriteLine($"millrace {name}: {TransferFailure.Describe(exception)}");
    }

    /// <summary>Writes a line for whoever still reads.</summary>
    public static void WriteLine(TextWriter output, string line)
    {
        try
        {
            output.WriteLine(line);
        }
        catch (IOException)
        {
            // Whoever read the output has gone. The exit code is what counts.
        }
    }
}
