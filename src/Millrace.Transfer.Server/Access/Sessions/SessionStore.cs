using System.Buffers.Text;
using System.Collections.Concurrent;
using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>
/// The sessions of browsers, in memory: a token's hash for each random id. A session is worth what its token is at that moment.
/// Thread-safe.
/// </summary>
internal sealed class SessionStore(IOptions<TransferAccessOptions> access, TimeProvider clock) : ITicketStore
{
    /// <summary>Sessions of one token; the one that was unused for longest ends for another.</summary>
    /// <remarks>So no client can end the sessions of another token, and memory is limited by the number of tokens.</remarks>
    private const int MaxPerToken = 50;

    /// <summary>How long a session lasts, whatever the browser does.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromDays(7);

    /// <summary>How long it lasts without a request.</summary>
    private static readonly TimeSpan LongestIdle = TimeSpan.FromHours(12);

    private const int IdBytes = 32;

    private readonly ConcurrentDictionary<string, Session> _sessions = new(StringComparer.Ordinal);
    private readonly Lock _adding = new();

    private DateTimeOffset Now => clock.GetUtcNow();

    /// <summary>Begins a session.</summary>
    /// <param name="secret">The token's secret, of which only the hash is kept.</param>
    /// <param name="token">The token.</param>
    /// <returns>Its id.</returns>
    public string Begin(string secret, TransferToken token)
    {
        DateTimeOffset end = Now + Longest;
        var session = new Session(
            Convert.ToHexStringLower(TokenSecret.Hash(secret)), token.Expires < end ? token.Expires.Value : end)
        { UsedAt = Now };
        string id = Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(IdBytes));
        lock (_adding)
        {
            foreach ((string old, Session one) in _sessions)
            {
                if (HasEnded(one))
                {
                    _sessions.TryRemove(old, out _);
                }
            }

            KeyValuePair<string, Session>[] same = [.. _sessions.Where(one => one.Value.Token == session.Token)];
            if (same.Length >= MaxPerToken)
            {
                _sessions.TryRemove(same.MinBy(static one => one.Value.UsedAt));
            }

            _sessions[id] = session;
        }

        return id;
    }

    /// <summary>Ends a session, if there is one.</summary>
    public void End(string id) => _sessions.TryRemove(id, out _);

    /// <summary>Never: only <see cref="Begin"/> makes sessions, each with a new id.</summary>
    public Task<string> StoreAsync(AuthenticationTicket ticket) => throw new NotSupportedException();

    /// <summary>Never: a session's id does not outlive a sign-in, so that an attacker cannot prepare one for a victim.</summary>
    public Task RenewAsync(string key, AuthenticationTicket ticket) => throw new NotSupportedException();

    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: the tokens cannot be read.</exception>
    public Task<AuthenticationTicket?> RetrieveAsync(string key)
    {
        if (!_sessions.TryGetValue(key, out Session? session))
        {
            return Task.FromResult<AuthenticationTicket?>(null);
        }

        TransferToken? token = HasEnded(session) ? null : access.Value.Pins?.FindByHash(session.Token) ?? access.Value.Tokens?.FindByHash(session.Token);
        if (token is null)
        {
            _sessions.TryRemove(key, out _);
            return Task.FromResult<AuthenticationTicket?>(null);
        }

        session.UsedAt = Now;
        return Task.FromResult<AuthenticationTicket?>(new AuthenticationTicket(
            new ClaimsPrincipal(ScopeRequirement.CreateIdentity(SessionCookie.SchemeName, token)),
            new AuthenticationProperties { ExpiresUtc = session.Ends },
            SessionCookie.SchemeName));
    }

    public Task RemoveAsync(string key)
    {
        End(key);
        return Task.CompletedTask;
    }

    private bool HasEnded(Session session) => Now >= session.Ends || Now - session.UsedAt >= LongestIdle;

    private sealed record Session(string Token, DateTimeOffset Ends)
    {
        public DateTimeOffset UsedAt { get; set; }
    }
}
