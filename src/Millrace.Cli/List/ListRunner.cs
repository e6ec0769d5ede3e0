using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.List;

/// <summary>Lists and prints, page by page.</summary>
internal static class ListRunner
{
    /// <summary>Does it.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(
        TransferTarget target, bool recursive, bool longer, TransferSettings settings, CancellationToken stop)
    {
        using var session = new TransferSession(settings.Client);
        (target, TransferClient client) = await session.OpenAsync(target, stop).ConfigureAwait(false);
        if (!target.IsFolder && await client.FindAsync(target.Name, stop).ConfigureAwait(false) is { } file)
        {
            Print(new RemoteEntry(file.Name, IsFolder: false, file.Length, file.Modified, file.Tag, file.Sha256), file.Name.Folder);
            return ExitCode.Success;
        }

        bool any = false;
        await foreach (RemoteEntry entry in client.ListAsync(target.Name, recursive, stop).ConfigureAwait(false))
        {
            any = true;
            if (!Print(entry, target.Name))
            {
                break;
            }
        }

        return any || target.IsFolder
            ? ExitCode.Success
            : throw new TransferException(
                TransferError.NotFound, $"There is no file and no folder {target.UrlOf(target.Name)}.", target.Name.Value);

        // Unlike elsewhere, who has gone away needs no more of it: `millrace ls … | head`.
        bool Print(RemoteEntry entry, TransferName folder)
        {
            string line = settings.Json ? ListLine.Of(entry, target).ToJson()
                : longer ? ListText.Long(entry, folder)
                : ListText.NameOf(entry, folder);
            try
            {
                Console.Out.WriteLine(line);
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }
    }
}
