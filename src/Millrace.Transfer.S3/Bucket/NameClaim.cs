using System.Diagnostics;
using System.Globalization;

namespace Millrace.Transfer.S3;

/// <summary>
/// The right to check a name and to publish under it, for services that do not do both in one step. A claim is an object that
/// only one server can create; a claim that its holder does not renew is taken over by creating the next one.
/// </summary>
/// <remarks>No clocks are compared: who waits measures how long a claim has not changed.</remarks>
internal sealed class NameClaim : IAsyncDisposable
{
    /// <summary>How long a claim stays unchanged before others take it for that of a dead server.</summary>
    public static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(15);

    private static readonly TimeSpan Renewal = TimeSpan.FromSeconds(3);

    /// <summary>After so long without a renewal, its holder does not trust it any more.</summary>
    private static readonly TimeSpan Trusted = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private const int Digits = 10;
    private const long MaxNumber = 9_999_999_999;

    private readonly Bucket _bucket;
    private readonly string _key;
    private readonly CancellationTokenSource _end = new();
    private readonly Task _renewing;
    private long _renewed;

    private NameClaim(Bucket bucket, string key, long created)
    {
        _bucket = bucket;
        _key = key;
        _renewed = created;
        _renewing = RenewAsync();
    }

    private bool IsTrusted => Stopwatch.GetElapsedTime(Volatile.Read(ref _renewed)) < Trusted;

    /// <summary>Waits for the claim of a name.</summary>
    /// <param name="bucket">The bucket.</param>
    /// <param name="prefix">The prefix of the keys of the name's claims.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async ValueTask<NameClaim> TakeAsync(Bucket bucket, string prefix, CancellationToken cancellationToken)
    {
        long started = Stopwatch.GetTimestamp();
        (string Key, DateTime? Modified) last = default;
        long changed = started;
        while (Stopwatch.GetElapsedTime(started) < Patience)
        {
            ListObjectsV2Response found = await bucket.ListAsync(new ListObjectsV2Request { Prefix = prefix }, cancellationToken);
            long number = 0;
            S3Object? held = found.S3Objects.FindLast(claim => TryNumber(claim.Key.AsSpan(prefix.Length), out number));
            if (held is not null && (held.Key, held.LastModified) != last)
            {
                last = (held.Key, held.LastModified);
                changed = Stopwatch.GetTimestamp();
            }

            if (held is null || Stopwatch.GetElapsedTime(changed) > Lifetime)
            {
                long now = Stopwatch.GetTimestamp();
                string key = $"{prefix}{(held is null ? 1 : number + 1):D10}";
                if (await bucket.TryCreateAsync(key, default, cancellationToken.Begin()))
                {
                    await DeleteAsync(bucket, found.S3Objects);
                    return new NameClaim(bucket, key, now);
                }
            }

            await Task.Delay(Random.Shared.Next(20, 200), cancellationToken);
        }

        throw S3Errors.Unavailable("Other servers are writing under the same name. Try again later.");
    }

    /// <summary>Throws if another server may have taken the claim over.</summary>
    public void ThrowIfLost()
    {
        if (!IsTrusted)
        {
            throw S3Errors.Unavailable("The object store was too slow to publish the file safely. Try again later.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _renewing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (IsTrusted)
        {
            // Otherwise the key may be another server's by now; the upkeep deletes what stays.
            await DeleteAsync(_bucket, [new S3Object { Key = _key }]);
        }

        _end.Dispose();
    }

    private async Task RenewAsync()
    {
        using var timer = new PeriodicTimer(Renewal);
        while (await timer.WaitForNextTickAsync(_end.Token))
        {
            long now = Stopwatch.GetTimestamp();
            if (!IsTrusted)
            {
                return;
            }

            try
            {
                // One that is cancelled may create the claim again, after it was given back.
                await _bucket.WriteAsync(_key, default, CancellationToken.None);
                Volatile.Write(ref _renewed, now);
            }
            catch (TransferException)
            {
                // The next tick tries again, while there is time.
            }
        }
    }

    /// <summary>Other programs may put objects there: only a key in a server's form is a claim.</summary>
    private static bool TryNumber(ReadOnlySpan<char> text, out long number) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && text.Length == Digits && number < MaxNumber;

    private static async ValueTask DeleteAsync(Bucket bucket, List<S3Object> claims)
    {
        foreach (S3Object claim in claims)
        {
            try
            {
                await bucket.DeleteAsync(claim.Key, CancellationToken.None);
            }
            catch (TransferException)
            {
                // It stops no server for longer than its lifetime.
            }
        }
    }
}
