using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// Which servers of a bucket live, and which of them has the lease: the one that delivers. One thread at a time renews, and one does everything else.
/// </summary>
/// <remarks>
/// <c>events/servers/SERVER</c> shows that a server lives, and <c>events/lease</c> which one has the lease. No server compares its clock with
/// that of another one: a server is dead when its document has not changed for a while.
/// </remarks>
internal sealed class BucketLease(IStoreDocuments documents)
{
    /// <summary>How often <see cref="RenewAsync"/> is to be called.</summary>
    public static readonly TimeSpan Renewal = TimeSpan.FromSeconds(5);

    private const string Servers = "events/servers/";
    private const string LeaseKey = "events/lease";

    private static readonly TimeSpan Observation = TimeSpan.FromSeconds(10);

    /// <summary>A server whose renewals fail for so long stops delivering, before another one begins.</summary>
    private static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Death = TimeSpan.FromSeconds(30);

    private readonly Dictionary<string, (string Version, long Since)> _seen = [];
    private (string Version, long Since) _other = ("", 0);
    private volatile string? _version;
    private long _renewed;
    private long _observed;

    /// <summary>Names this server.</summary>
    public string Server { get; } = RandomNumberGenerator.GetHexString(16, lowercase: true);

    /// <summary>Whether this server has the lease, and no other one can have taken it.</summary>
    public bool IsMine => _version is not null && Environment.TickCount64 - Interlocked.Read(ref _renewed) < Lifetime.TotalMilliseconds;

    /// <summary>Renews the document of this server.</summary>
    public async ValueTask LiveAsync(CancellationToken cancellationToken)
    {
        string key = Servers + Server;
        StoreDocument? before = await documents.ReadAsync(key, cancellationToken);
        await documents.TryWriteAsync(key, Content(queued: 0), before?.Version, isDurable: false, cancellationToken);
    }

    /// <summary>Renews the document of this server, and keeps or takes the lease.</summary>
    /// <param name="queued">Events that wait, for the servers without the lease.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Events that wait, as the server with the lease has written; null if there was none, or it is this one.</returns>
    public async ValueTask<long?> RenewAsync(long queued, CancellationToken cancellationToken)
    {
        await LiveAsync(cancellationToken);
        long now = Environment.TickCount64;
        long? waiting = null;
        if (_version is { } version)
        {
            _version = await documents.TryWriteAsync(LeaseKey, Content(queued), version, isDurable: false, cancellationToken);
        }
        else
        {
            StoreDocument? other = await documents.ReadAsync(LeaseKey, cancellationToken);
            if (other is null || _other.Version != other.Version)
            {
                _other = (other?.Version ?? "", now);
            }

            waiting = other is null ? null : JsonSerializer.Deserialize(other.Content.Span, ServerJson.Default.LeaseRecord)?.Queued;
            if (other is null || now - _other.Since > Death.TotalMilliseconds)
            {
                _version = await documents.TryWriteAsync(LeaseKey, Content(waiting ?? queued), other?.Version, isDurable: false, cancellationToken);
            }
        }

        if (_version is not null)
        {
            Interlocked.Exchange(ref _renewed, now);
        }

        return waiting;
    }

    /// <summary>Looks at the other servers from time to time, so that the next one with the lease knows at once which of them are dead.</summary>
    public async ValueTask ObserveAsync(CancellationToken cancellationToken)
    {
        if (Environment.TickCount64 - _observed > Observation.TotalMilliseconds)
        {
            _observed = Environment.TickCount64;
            await foreach (string key in documents.ListAsync(Servers, cancellationToken))
            {
                await IsDeadAsync(key, cancellationToken);
            }
        }
    }

    /// <summary>Finds the servers that live, and forgets the dead ones.</summary>
    public async ValueTask<HashSet<string>> FindLivingAsync(CancellationToken cancellationToken)
    {
        var living = new HashSet<string> { Server };
        var found = new HashSet<string>();
        await foreach (string key in documents.ListAsync(Servers, cancellationToken))
        {
            found.Add(key);
            if (!await IsDeadAsync(key, cancellationToken))
            {
                living.Add(key[Servers.Length..]);
            }
            else
            {
                await documents.DeleteAsync(key, cancellationToken);
            }
        }

        foreach (string gone in _seen.Keys.Where(key => !found.Contains(key)).ToList())
        {
            _seen.Remove(gone);
        }

        return living;
    }

    /// <summary>Whether a server that <see cref="FindLivingAsync"/> has not found has started since: one without a document is dead.</summary>
    public async ValueTask<bool> HasStartedAsync(string? server, CancellationToken cancellationToken) =>
        server is not null && await documents.ReadAsync(Servers + server, cancellationToken) is not null;

    /// <summary>Lets another server take over at once.</summary>
    public async ValueTask ReleaseAsync()
    {
        try
        {
            if (_version is not null)
            {
                await documents.DeleteAsync(LeaseKey, CancellationToken.None);
            }

            await documents.DeleteAsync(Servers + Server, CancellationToken.None);
        }
        catch (IOException)
        {
            // The others notice that this server is gone.
        }
    }

    /// <summary>Whether a document has not changed for so long that its server must be dead.</summary>
    private async ValueTask<bool> IsDeadAsync(string key, CancellationToken cancellationToken)
    {
        string version = (await documents.ReadAsync(key, cancellationToken))?.Version ?? "";
        if (!_seen.TryGetValue(key, out (string Version, long Since) seen) || seen.Version != version)
        {
            _seen[key] = (version, Environment.TickCount64);
            return false;
        }

        return Environment.TickCount64 - seen.Since > Death.TotalMilliseconds;
    }

    private byte[] Content(long queued) => JsonSerializer.SerializeToUtf8Bytes(
        new LeaseRecord { Server = Server, Renewal = Environment.TickCount64, Queued = queued }, ServerJson.Default.LeaseRecord);
}

/// <summary>Shows that a server lives, or which one has the lease.</summary>
internal sealed record LeaseRecord
{
    public required string Server { get; init; }

    /// <summary>Another number each time, so that the document is another version.</summary>
    public long Renewal { get; init; }

    /// <summary>Events that wait.</summary>
    public long Queued { get; init; }
}
