using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Get;

/// <summary>Plans, downloads and tells.</summary>
internal static class GetRunner
{
    /// <summary>Does it.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(GetArguments arguments, CancellationToken stop)
    {
        string destination = GetPlan.DestinationOf(arguments.Target, arguments.Destination);
        using var session = new TransferSession(arguments.Settings.Client);
        (TransferTarget target, TransferClient client) =
            await session.OpenAsync(arguments.Target, stop).ConfigureAwait(false);
        List<TransferItem> items = target.IsFolder
            ? await GetPlan.ListAsync(client, target, destination, stop).ConfigureAwait(false)
            : [new TransferItem(destination, target.Name, target.UrlOf(target.Name), Bytes: null)];
        if (items.Count == 0)
        {
            throw new TransferException(
                TransferError.NotFound, $"There is no file in {target.UrlOf(target.Name, folder: true)}.", target.Name.Value);
        }

        return await TransferBatch.RunAsync(
            new TransferJob
            {
                Command = "get",
                Verb = "Got",
                Settings = arguments.Settings,
                Items = items,
                Output = arguments.ToStandardOutput ? Console.Error : Console.Out,
                Describe = item => $"{item.Url} to {item.Shown}",
                Continues = arguments.Options.Continue && !arguments.ToStandardOutput,
                Move = (item, progress, cancellationToken) =>
                    GetAsync(client, arguments.Options, item, target.IsFolder, progress, cancellationToken),
            },
            stop).ConfigureAwait(false);
    }

    private static async Task<TransferResult> GetAsync(
        TransferClient client,
        GetOptions options,
        TransferItem item,
        bool makeFolder,
        IProgress<TransferProgress> progress,
        CancellationToken cancellationToken)
    {
        if (item.Path != TransferItem.Standard)
        {
            if (makeFolder && Path.GetDirectoryName(item.Path) is { Length: > 0 } folder)
            {
                Directory.CreateDirectory(folder);
            }

            return await client.GetAsync(item.Name, item.Path, options, progress, cancellationToken).ConfigureAwait(false);
        }

        Stream output = Console.OpenStandardOutput();
        await using (output.ConfigureAwait(false))
        {
            return await client
                .GetAsync(item.Name, output, options with { Continue = false, CreateNew = false }, progress, cancellationToken)
                .ConfigureAwait(false);
        }
    }
}
