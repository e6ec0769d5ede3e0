using System.Runtime.CompilerServices;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Transfer.Server;

/// <summary>What callers may do at once: transfers, listings, searches, wrong tokens. Thread-safe.</summary>
internal sealed class CallerLimits(TransferLimits limits) : IDisposable
{
    /// <summary>How many times as many pages of listings as one caller may have are made at once for all together.</summary>
    private const int TotalListings = 4;

    /// <summary>Wrong tokens that one address may try at once, and again each minute, where people type them.</summary>
    /// <remarks>
    /// A right one always gets in: behind a proxy all clients have one address, and a secret has 256 bits, too many to guess.
    /// </remarks>
    private const int TriesPerMinute = 20;

    /// <summary>Searches that a caller may wait for.</summary>
    private const int MaxWaitingWalks = 8;

    private readonly KeyedLimiter _slots = KeyedLimiter.OfLeases(limits.MaxTransfers, waiting: 0);
    private readonly KeyedLimiter _listings = KeyedLimiter.OfLeases(limits.MaxListings, limits.MaxTransfers);
    private readonly ConcurrencyLimiter _pages = new(new ConcurrencyLimiterOptions
    {
        PermitLimit = TotalListings * limits.MaxListings,
        QueueLimit = int.MaxValue,
    });

    private readonly KeyedLimiter _tries = KeyedLimiter.OfTries(TriesPerMinute, TimeSpan.FromMinutes(1));

    /// <summary>One for each caller, and for as many at once as leave a processor for transfers.</summary>
    private readonly KeyedLimiter _walks = KeyedLimiter.OfLeases(atOnce: 1, MaxWaitingWalks);

    private readonly ConcurrencyLimiter _steps = new(new ConcurrencyLimiterOptions
    {
        PermitLimit = Math.Max(1, Environment.ProcessorCount / 2),
        QueueLimit = int.MaxValue,
    });

    private int _running;

    /// <summary>Transfers that run now.</summary>
    public int Running => Volatile.Read(ref _running);

    /// <summary>
    /// Lists a page when its turn comes. No caller waits here for another caller's connection, on which a listing may be held up for minutes.
    /// </summary>
    public async ValueTask<FilePage> ListAsync(IFileStore store, ListFilesOptions options, CancellationToken cancellationToken)
    {
        using RateLimitLease turn = await _pages.AcquireAsync(cancellationToken: cancellationToken);
        return await store.ListAsync(options, cancellationToken);
    }

    /// <summary>Runs the steps of a search, each when its turn comes: none runs while the client receives results.</summary>
    public async IAsyncEnumerable<T> StepAsync<T>(
        IAsyncEnumerable<T> steps, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await using IAsyncEnumerator<T> step = steps.GetAsyncEnumerator(cancellationToken);
        while (true)
        {
            using (await _steps.AcquireAsync(cancellationToken: cancellationToken))
            {
                if (!await step.MoveNextAsync())
                {
                    yield break;
                }
            }

            yield return step.Current;
        }
    }

    /// <summary>Whether an address may try another token.</summary>
    public bool TryToken(string address)
    {
        using RateLimitLease lease = _tries.AttemptAcquire(address);
        return lease.IsAcquired;
    }

    /// <summary>Bytes that a body may have; null without a limit.</summary>
    public long? MaxBodyBytes => limits.MaxBodyBytes;

    /// <summary>Sets Kestrel's limit before a body is read; its default is 30 MB.</summary>
    public static void SetBodyLimit(HttpContext context, long? bytes)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } body)
        {
            body.MaxRequestBodySize = bytes;
        }
    }

    /// <summary>Limits a body that is read as a whole.</summary>
    /// <exception cref="TransferException">It announces more.</exception>
    /// <remarks>
    /// Kestrel closes the connection at once on a body above its limit, and a client that still sends loses the response; a request
    /// that is refused before is read and discarded by Kestrel for five seconds.
    /// </remarks>
    public static void LimitDocument(HttpContext context, int bytes)
    {
        if (context.Request.ContentLength > bytes)
        {
            throw new TransferException(
                TransferError.TooLarge, $"The request has {context.Request.ContentLength} bytes, but at most {bytes} are accepted here.");
        }

        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } body)
        {
            // One without a length; the owner may allow less.
            body.MaxRequestBodySize = Math.Min(body.MaxRequestBodySize ?? bytes, bytes);
        }
    }

    public void Release(RateLimitLease slot)
    {
        slot.Dispose();
        Interlocked.Decrement(ref _running);
    }

    /// <summary>Takes one of the slots of the caller's transfers, if the body is not too large.</summary>
    public RateLimitLease TakeSlot(HttpContext context, TransferName name, string caller)
    {
        SetBodyLimit(context, limits.MaxBodyBytes);
        if (context.Request.ContentLength > limits.MaxBodyBytes)
        {
            CloseAfterResponse(context);
            throw new TransferException(
                TransferError.TooLarge,
                $"The request has {context.Request.ContentLength} bytes, but this server accepts {limits.MaxBodyBytes}. Send a smaller file, or ask the server's owner for more.",
                name.Value);
        }

        RateLimitLease slot = _slots.AttemptAcquire(caller);
        if (!slot.IsAcquired)
        {
            throw TooMany(name, caller, $"{limits.MaxTransfers} transfers are running");
        }

        Interlocked.Increment(ref _running);
        return slot;
    }

    /// <summary>Waits until the caller may have another listing: a part of its response is in memory until the client has it.</summary>
    public async ValueTask<RateLimitLease> WaitForListingAsync(HttpContext context, TransferName name, string caller)
    {
        RateLimitLease lease = await _listings.AcquireAsync(caller, context.RequestAborted);
        return lease.IsAcquired ? lease : throw TooMany(name, caller, $"{limits.MaxTransfers} listings are waiting");
    }

    /// <summary>Waits until the caller's search before this one has ended.</summary>
    public async ValueTask<RateLimitLease> WaitForWalkAsync(HttpContext context, TransferName name, string caller)
    {
        RateLimitLease lease = await _walks.AcquireAsync(caller, context.RequestAborted);
        return lease.IsAcquired ? lease : throw TooMany(name, caller, $"{MaxWaitingWalks} searches are waiting");
    }

    private TransferException TooMany(TransferName name, string caller, string what) => new(
        TransferError.TooManyTransfers,
        $"{what} for {(caller.StartsWith(':') ? "this address" : "this token")}, and no more are allowed at once. Try again when one has finished.",
        name.Value)
    {
        RetryAfter = limits.RetryAfter,
    };

    /// <summary>
    /// Announces that the connection ends with the response. Kestrel closes it anyway, since the body is not read, but without
    /// notice: the client's next request would fail on it.
    /// </summary>
    private static void CloseAfterResponse(HttpContext context)
    {
        if (HttpProtocol.IsHttp11(context.Request.Protocol))
        {
            context.Response.OnStarting(
                static state =>
                {
                    ((HttpResponse)state).Headers.Connection = "close";
                    return Task.CompletedTask;
                },
                context.Response);
        }
    }

    public void Dispose()
    {
        _slots.Dispose();
        _listings.Dispose();
        _pages.Dispose();
        _tries.Dispose();
        _walks.Dispose();
        _steps.Dispose();
    }
}
