using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>The clients of one run of the command: one a server, however many URLs lead to it.</summary>
internal sealed class TransferSession(TransferClientOptions options) : IDisposable
{
    private readonly Dictionary<Uri, TransferClient> _clients = [];

    /// <summary>Asks the server where its files are.</summary>
    /// <returns>The target as the server sees it, and the client for it.</returns>
    /// <exception cref="TransferException">The server cannot be reached, or has no files at this URL.</exception>
    public async Task<(TransferTarget Target, TransferClient Client)> OpenAsync(
        TransferTarget target, CancellationToken cancellationToken)
    {
        TransferClient client = ClientOf(target);
        try
        {
            ServerDescription description = await client.DescribeAsync(cancellationToken).ConfigureAwait(false);
            target = target.Below(description.Files);
        }
        catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.Protocol)
        {
            // Another server than Millrace's, or a part of somebody's own: then the URL is taken as it is.
        }

        return (target, ClientOf(target));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (TransferClient client in _clients.Values)
        {
            client.Dispose();
        }
    }

    // A command that takes a link takes one URL, so that no other file's client has it.
    private TransferClient ClientOf(TransferTarget target)
    {
        if (!_clients.TryGetValue(target.Files, out TransferClient? client))
        {
            client = new TransferClient(target.Files, options with { Link = target.Link });
            _clients.Add(target.Files, client);
        }

        return client;
    }
}
