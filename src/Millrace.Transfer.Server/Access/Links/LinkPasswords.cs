using System.Collections.Concurrent;
using System.Text;
using System.Threading.RateLimiting;

namespace Millrace.Transfer.Server;

/// <summary>Compares passwords of links, with limits: guessing is slow, and does not keep the server busy. Thread-safe.</summary>
internal sealed class LinkPasswords : IDisposable
{
    /// <summary>Passwords that are tried for one link at once, and again each hour, by all addresses together.</summary>
    private const int TriesPerHour = 100;

    /// <summary>Passwords that are tried by one address at once, and again each minute.</summary>
    private const int TriesPerMinute = 10;

    /// <summary>Passwords that are compared at once.</summary>
    private const int AtOnce = 2;

    private const int MaxKnown = 1000;

    private readonly KeyedLimiter _ofLinks = KeyedLimiter.OfTries(TriesPerHour, TimeSpan.FromHours(1));
    private readonly KeyedLimiter _ofAddresses = KeyedLimiter.OfTries(TriesPerMinute, TimeSpan.FromMinutes(1));
    private readonly SemaphoreSlim _turn = new(AtOnce, AtOnce);

    /// <summary>Passwords that were right, so that programs can send them with each request. No one can compute these hashes elsewhere.</summary>
    private readonly ConcurrentDictionary<string, bool> _known = new(StringComparer.Ordinal);
    private readonly byte[] _key = RandomNumberGenerator.GetBytes(32);

    /// <exception cref="TransferException">
    /// <see cref="TransferError.Unauthorized"/>: it is another one; <see cref="TransferError.TooManyTransfers"/>: too many were tried.
    /// </exception>
    public async ValueTask CheckAsync(FolderLinkRecord link, string password, string address, CancellationToken cancellationToken)
    {
        if (password.Length > LinkPassword.MaxCharacters)
        {
            throw Wrong();
        }

        string known = Convert.ToHexString(HMACSHA256.HashData(_key, Encoding.UTF8.GetBytes($"{link.Id}\n{link.Password!.Hash}\n{password}")));
        if (_known.ContainsKey(known))
        {
            return;
        }

        using RateLimitLease ofAddress = _ofAddresses.AttemptAcquire($"{address} {link.Id}");
        using RateLimitLease? ofLink = ofAddress.IsAcquired ? _ofLinks.AttemptAcquire(link.Id) : null;
        if (ofLink is not { IsAcquired: true })
        {
            throw new TransferException(
                TransferError.TooManyTransfers, "Too many passwords were tried for this link. Try again later.")
            {
                RetryAfter = ofAddress.IsAcquired ? TimeSpan.FromHours(1) : TimeSpan.FromMinutes(1),
            };
        }

        await _turn.WaitAsync(cancellationToken);
        try
        {
            if (!await Task.Run(() => link.Password.Is(password), cancellationToken))
            {
                throw Wrong();
            }
        }
        finally
        {
            _turn.Release();
        }

        if (_known.Count >= MaxKnown)
        {
            _known.Clear();
        }

        _known[known] = true;
    }

    public void Dispose()
    {
        _ofLinks.Dispose();
        _ofAddresses.Dispose();
        _turn.Dispose();
    }

    private static TransferException Wrong() => new(TransferError.Unauthorized, "That is not the password of this link.");
}
