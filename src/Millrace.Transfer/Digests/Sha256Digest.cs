using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Millrace.Transfer;

/// <summary>A SHA-256 (FIPS 180-4): 32 bytes by value.</summary>
public readonly record struct Sha256Digest
{
    internal const int Bytes = SHA256.HashSizeInBytes;

    private readonly ulong _a;
    private readonly ulong _b;
    private readonly ulong _c;
    private readonly ulong _d;

    /// <summary>Takes over 32 bytes.</summary>
    /// <exception cref="ArgumentException">Not 32 bytes.</exception>
    public Sha256Digest(ReadOnlySpan<byte> digest)
    {
        if (digest.Length != Bytes)
        {
            throw new ArgumentException($"A SHA-256 has {Bytes} bytes, not {digest.Length}.", nameof(digest));
        }

        _a = BinaryPrimitives.ReadUInt64BigEndian(digest);
        _b = BinaryPrimitives.ReadUInt64BigEndian(digest[8..]);
        _c = BinaryPrimitives.ReadUInt64BigEndian(digest[16..]);
        _d = BinaryPrimitives.ReadUInt64BigEndian(digest[24..]);
    }

    /// <summary>The digest of some bytes.</summary>
    public static Sha256Digest Compute(ReadOnlySpan<byte> content)
    {
        Span<byte> digest = stackalloc byte[Bytes];
        SHA256.HashData(content, digest);
        return new Sha256Digest(digest);
    }

    /// <summary>Reads 64 hexadecimal digits, or 44 characters of base64.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out Sha256Digest digest)
    {
        Span<byte> bytes = stackalloc byte[Bytes + 1];
        digest = default;
        bool valid = text.Length == 2 * Bytes
            ? Convert.FromHexString(text, bytes, out _, out int written) == System.Buffers.OperationStatus.Done
            : Convert.TryFromBase64Chars(text, bytes, out written);
        if (!valid || written != Bytes)
        {
            return false;
        }

        digest = new Sha256Digest(bytes[..Bytes]);
        return true;
    }

    /// <summary>Writes the 32 bytes.</summary>
    /// <param name="destination">32 bytes at least.</param>
    public void CopyTo(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64BigEndian(destination, _a);
        BinaryPrimitives.WriteUInt64BigEndian(destination[8..], _b);
        BinaryPrimitives.WriteUInt64BigEndian(destination[16..], _c);
        BinaryPrimitives.WriteUInt64BigEndian(destination[24..], _d);
    }

    /// <summary>In base64, as HTTP's digest fields have it.</summary>
    public string ToBase64()
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        CopyTo(bytes);
        return Convert.ToBase64String(bytes);
    }

    /// <summary>In 64 lower-case hexadecimal digits, as sha256sum prints it.</summary>
    public override string ToString()
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        CopyTo(bytes);
        return Convert.ToHexStringLower(bytes);
    }
}
