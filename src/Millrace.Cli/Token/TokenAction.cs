using System.CommandLine;
using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Token;

/// <summary>Runs what changes or reads tokens, and tells what went wrong.</summary>
internal static class TokenAction
{
    /// <summary>Makes an action of it.</summary>
    /// <param name="name">The command, for messages.</param>
    /// <param name="action">Does it and returns an <see cref="ExitCode"/>.</param>
    public static Func<ParseResult, int> Of(string name, Func<ParseResult, CancellationToken, Task<int>> action) => parsed =>
    {
        using var stop = new StopSignal();
        try
        {
            return action(parsed, stop.Token).GetAwaiter().GetResult();
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            return ExitCode.Stopped;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine($"millrace {name}: {exception.Message}");
            return ExitCode.CannotStart;
        }
    };

    /// <summary>Refuses what is wrong on the command line.</summary>
    public static TransferException Wrong(string message) => new(TransferError.InvalidRequest, message);
}
