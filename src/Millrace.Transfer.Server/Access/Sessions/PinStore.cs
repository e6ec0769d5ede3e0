using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// The PIN with which one browser can sign in, and the tokens of the sessions that began with one. Thread-safe.
/// </summary>
/// <remarks>
/// A million PINs are few, so five wrong ones from any clients end it. An attacker can thus keep others from signing in, and only the
/// person at the server makes another. Without encryption, a PIN is for private networks only.
/// </remarks>
internal sealed class PinStore(TimeProvider clock)
{
    public const int Digits = 6;

    private const int Count = 1_000_000;
    private const int MaxWrong = 5;
    // The name of a token has no colon.
    private const string TokenName = ":pin";

    private static readonly TimeSpan Lifetime = TimeSpan.FromMinutes(10);

    private static readonly IPNetwork[] PrivateNetworks =
    [
        IPNetwork.Parse("10.0.0.0/8"), IPNetwork.Parse("172.16.0.0/12"), IPNetwork.Parse("192.168.0.0/16"), IPNetwork.Parse("169.254.0.0/16"),
        IPNetwork.Parse("fc00::/7"), IPNetwork.Parse("fe80::/10"),
    ];

    private readonly ConcurrentDictionary<string, TransferToken> _tokens = new(StringComparer.Ordinal);
    private readonly Lock _changing = new();
    private byte[]? _pin;
    private DateTimeOffset _ends;
    private int _wrong;

    /// <summary>Whether a text could be a PIN; no token is one.</summary>
    public static bool IsPin(string text) => text.Length == Digits && text.All(char.IsAsciiDigit);

    /// <summary>Makes a PIN; an earlier one ends.</summary>
    public string Create()
    {
        string pin = RandomNumberGenerator.GetInt32(Count).ToString("D6", CultureInfo.InvariantCulture);
        lock (_changing)
        {
            _pin = Encoding.ASCII.GetBytes(pin);
            _ends = clock.GetUtcNow() + Lifetime;
            _wrong = 0;
        }

        return pin;
    }

    /// <summary>Exchanges a PIN, once, for a new secret and its token, which is for sessions only.</summary>
    /// <param name="pin">The PIN as the caller sent it.</param>
    /// <returns>Null for a wrong one, and for any after the PIN has ended.</returns>
    public (string Secret, TransferToken Token)? Redeem(string pin)
    {
        DateTimeOffset now = clock.GetUtcNow();
        lock (_changing)
        {
            if (_pin is null || now >= _ends)
            {
                _pin = null;
                return null;
            }

            if (!CryptographicOperations.FixedTimeEquals(_pin, Encoding.ASCII.GetBytes(pin)))
            {
                _pin = ++_wrong < MaxWrong ? _pin : null;
                return null;
            }

            _pin = null;
        }

        string secret = TokenSecret.Next();
        var token = new TransferToken(TokenName, TransferScope.All & ~TransferScope.Link, default, now, Expires: null);
        _tokens[Convert.ToHexStringLower(TokenSecret.Hash(secret))] = token;
        return (secret, token);
    }

    /// <summary>The token of a session that a PIN began; null for others.</summary>
    public TransferToken? FindByHash(string hash) => _tokens.GetValueOrDefault(hash);

    /// <summary>Whether unencrypted traffic may be read on the way: beyond this machine and private networks.</summary>
    public static bool IsBeyondPrivate(IPAddress? address)
    {
        if (address is null)
        {
            // A Unix socket.
            return false;
        }

        IPAddress plain = address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        return !IPAddress.IsLoopback(plain)
            && !PrivateNetworks.Any(network => network.BaseAddress.AddressFamily == plain.AddressFamily && network.Contains(plain));
    }
}
