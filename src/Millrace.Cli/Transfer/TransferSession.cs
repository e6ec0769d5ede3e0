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
        TransferClient client = ClientOf(target.Files);
        try
        {
            ServerDescription description = await client.DescribeAsync(cancellationToken).ConfigureAwait(false);
            target = target.Below(description.Files);
        }
        catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.Protocol)
        {
            // Another server than Millrace's, or a part of somebody's own: then the URL is taken as it is.
        }

        return (target, ClientOf(target.Files));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (TransferClient client in _clients.Values)
        {
            client.Dispose();
        }
    }

    private TransferClient ClientOf(Uri files)
    {
        if (!_clients.TryGetValue(files, out TransferClient? client))
        {
            client = new TransferClient(files, options);
            _clients.Add(files, client);
        }

        return client;
    }
}
