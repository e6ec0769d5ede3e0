using System.Globalization;
using Millrace.Cli.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Serve;

/// <summary>Starts a server, tells where it is, and stops it when a signal says so.</summary>
internal static class ServeRunner
{
    private const string Prefix = "millrace serve: ";

    /// <summary>Does it.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(ServeArguments arguments)
    {
        using var signals = new ServeSignals();
        TransferHostOptions options = arguments.Host with { Logging = logging => ServeLog.Configure(logging, arguments) };
        TransferServer server;
        try
        {
            server = await TransferServer.StartAsync(options, signals.Stop).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (signals.Stop.IsCancellationRequested)
        {
            return ExitCode.Success;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            await Console.Error.WriteLineAsync(Prefix + exception.Message).ConfigureAwait(false);
            return ExitCode.CannotStart;
        }

        await using (server.ConfigureAwait(false))
        {
            using var garbage = new SmallGarbage();
            TellReady(arguments, server, options);
            await Task.Delay(Timeout.InfiniteTimeSpan, signals.Stop)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return await StopAsync(arguments, server, options, signals.Cut).ConfigureAwait(false);
        }
    }

    private static void TellReady(ServeArguments arguments, TransferServer server, TransferHostOptions options)
    {
        if (arguments.Json)
        {
            TransferCommand.WriteLine(Console.Out, ServePrinter.ToLine(server, options).ToJson());
        }
        else if (!arguments.Quiet)
        {
            TransferCommand.WriteLine(Console.Out, ServePrinter.Describe(server, options));
        }
    }

    private static async Task<int> StopAsync(
        ServeArguments arguments, TransferServer server, TransferHostOptions options, CancellationToken cut)
    {
        if (server.Running > 0 && !arguments.Quiet)
        {
            await Console.Error.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"{Prefix}{TransferText(server.Running)} still running, with {options.Grace.TotalSeconds:0.#} s to finish; Ctrl-C cuts now."))
                .ConfigureAwait(false);
        }

        int lost = await server.StopAsync(cut).ConfigureAwait(false);
        if (lost == 0)
        {
            return ExitCode.Success;
        }

        await Console.Error.WriteLineAsync(
            $"{Prefix}{TransferText(lost)} cut. Nothing partial is visible; resumable uploads can be continued.")
            .ConfigureAwait(false);
        return ExitCode.Stopped;
    }

    private static string TransferText(int count) => count == 1 ? "1 transfer" : $"{count} transfers";
}
