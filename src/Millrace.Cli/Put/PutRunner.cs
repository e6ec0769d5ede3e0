using Microsoft.Win32.SafeHandles;
using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Put;

/// <summary>Plans, uploads and tells.</summary>
internal static class PutRunner
{
    /// <summary>Does it.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(PutArguments arguments, CancellationToken stop)
    {
        // Before the server is asked, for what is wrong with the command itself.
        PutPlan.Make(arguments.Sources, arguments.Target);
        using var session = new TransferSession(arguments.Settings.Client);
        (TransferTarget target, TransferClient client) =
            await session.OpenAsync(arguments.Target, stop).ConfigureAwait(false);
        List<TransferItem> items = PutPlan.Make(arguments.Sources, target);
        if (items.Count == 0)
        {
            throw new TransferException(
                TransferError.NotFound, "There is no file in what was given, and a store keeps no empty folders.");
        }

        return await TransferBatch.RunAsync(
            new TransferJob
            {
                Command = "put",
                Verb = "Put",
                Settings = arguments.Settings,
                Items = items,
                Output = Console.Out,
                Describe = item => $"{item.Shown} to {item.Url}",
                Continues = arguments.Continue && target.Link is null && arguments.Sources is not [TransferItem.Standard],
                Move = (item, progress, cancellationToken) => PutAsync(client, arguments, item, progress, cancellationToken),
            },
            stop).ConfigureAwait(false);
    }

    private static async Task<TransferResult> PutAsync(
        TransferClient client,
        PutArguments arguments,
        TransferItem item,
        IProgress<TransferProgress> progress,
        CancellationToken cancellationToken)
    {
        var options = new PutOptions { Precondition = arguments.Precondition, Continue = arguments.Continue && arguments.Target.Link is null };
        if (item.Bytes is not null)
        {
            return await client.PutAsync(item.Path, item.Name, options, progress, cancellationToken).ConfigureAwait(false);
        }

        // Nobody can read it a second time, so there is nothing that a later run could continue.
        options = options with { Continue = false };
        FileStream content = item.Path == TransferItem.Standard ? OpenStandardInput() : OpenPipe(item.Path);
        await using (content.ConfigureAwait(false))
        {
            return await client.PutAsync(content, item.Name, options, progress, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Not the console's stream: this one says its length and can be read again when it is a file that the shell opened.
    /// </summary>
    private static FileStream OpenStandardInput() => OperatingSystem.IsWindows()
        ? throw new TransferException(TransferError.InvalidRequest, "Standard input cannot be uploaded on Windows yet. Give a file.")
        : new FileStream(new SafeFileHandle(0, ownsHandle: false), FileAccess.Read, bufferSize: 0);

    private static FileStream OpenPipe(string path) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
}
