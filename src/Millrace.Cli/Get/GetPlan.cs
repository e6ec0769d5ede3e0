using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Get;

/// <summary>Finds out what there is to download, and where it goes.</summary>
internal static class GetPlan
{
    /// <summary>Where it goes: the file's path, or that of the folder.</summary>
    /// <exception cref="TransferException">It can go nowhere; the message says why.</exception>
    public static string DestinationOf(TransferTarget target, string? destination)
    {
        if (target.IsFolder)
        {
            return FolderOf(target, destination);
        }

        string name = target.Name.FileName;
        if (destination is null)
        {
            return name;
        }

        if (destination == TransferItem.Standard)
        {
            return destination;
        }

        if (Directory.Exists(destination))
        {
            return Path.Combine(destination, name);
        }

        return Path.EndsInDirectorySeparator(destination)
            ? throw Wrong($"There is no folder '{destination}' to put {name} into. Make it first.")
            : destination;
    }

    /// <summary>The files of a folder, each under the same name below <paramref name="destination"/>.</summary>
    public static async Task<List<TransferItem>> ListAsync(
        TransferClient client, TransferTarget target, string destination, CancellationToken cancellationToken)
    {
        var items = new List<TransferItem>();
        await foreach (RemoteEntry entry in client
            .ListAsync(target.Name, recursive: true, cancellationToken).ConfigureAwait(false))
        {
            // No part of a name is '..', so it stays below, whatever the server says.
            if (!entry.IsFolder && entry.Name.IsIn(target.Name))
            {
                string below = target.Name.IsRoot ? entry.Name.Value : entry.Name.Value[(target.Name.Value.Length + 1)..];
                items.Add(new TransferItem(
                    Path.Combine(destination, below), entry.Name, target.UrlOf(entry.Name), entry.Length));
            }
        }

        return items;
    }

    private static string FolderOf(TransferTarget target, string? destination)
    {
        if (destination == TransferItem.Standard)
        {
            throw Wrong($"{target.Text} is a folder, and standard output takes one file. Give the URL of a file, without a slash at its end.");
        }

        if (destination is null && target.Name.IsRoot)
        {
            throw Wrong($"{target.Text} is everything that the server has. Say which folder it goes into, for example: millrace get {target.Text} all");
        }

        string folder = destination ?? target.Name.FileName;
        return File.Exists(folder)
            ? throw Wrong($"'{folder}' is a file, and {target.Text} is a folder. Say which folder it goes into.")
            : folder;
    }

    private static TransferException Wrong(string message) => new(TransferError.InvalidRequest, message);
}
