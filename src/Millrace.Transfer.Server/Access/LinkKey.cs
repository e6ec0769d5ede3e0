namespace Millrace.Transfer.Server;

/// <summary>The key that signs links. Immutable; keep it as secret as a token.</summary>
public sealed class LinkKey
{
    private const int SecretBytes = 32;

    private readonly byte[] _secret;

    internal LinkKey(int version, byte[] secret)
    {
        if (secret.Length != SecretBytes)
        {
            throw new FormatException($"the key of links does not have {SecretBytes} bytes");
        }

        Version = version;
        _secret = secret;
    }

    /// <summary>Counts the keys of a store; a link names the one with which it was signed.</summary>
    public int Version { get; }

    internal static byte[] NextSecret() => RandomNumberGenerator.GetBytes(SecretBytes);

    internal byte[] Sign(ReadOnlySpan<byte> text) => HMACSHA256.HashData(_secret, text);
}
