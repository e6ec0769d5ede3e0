using System.Security.Cryptography;

namespace Millrace.Transfer.Server;

/// <summary>What links are signed with. Immutable; keep it as secret as a token.</summary>
public sealed class LinkKey
{
    private const int SecretBytes = 32;

    private readonly byte[] _secret;

    internal LinkKey(int version, byte[] secret)
    {
        if (secret.Length != SecretBytes)
        {
            throw new FormatException($"the key of links is not of {SecretBytes} bytes");
        }

        Version = version;
        _secret = secret;
    }

    /// <summary>Counts the keys of a store; a link names the one it was signed with.</summary>
    public int Version { get; }

    internal static byte[] NextSecret() => RandomNumberGenerator.GetBytes(SecretBytes);

    internal byte[] Sign(ReadOnlySpan<byte> text) => HMACSHA256.HashData(_secret, text);
}
