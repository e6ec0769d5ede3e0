using System.Collections.Concurrent;
using System.Security.Cryptography;
using Millrace.Lab.Suites.Writes;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>Reads the transferred file back. The same for all methods, and outside the measured time.</summary>
internal static class TransferContent
{
    private const int PieceBytes = 256 * 1024;

    // By path: a run's files do not change their bytes.
    private static readonly ConcurrentDictionary<string, Sha256Digest> Digests = new(StringComparer.Ordinal);

    /// <summary>Compares a file's length and SHA-256 with those of the one that was moved.</summary>
    public static void Verify(string path, TestFile source)
    {
        Sha256Digest expected = Digests.GetOrAdd(source.Path, static (path, file) => Of(path, file.Bytes), source);
        Sha256Digest found = Of(path, source.Bytes);
        if (found != expected)
        {
            throw new WrongResultException(path, $"has the SHA-256 {found} instead of {expected} of {source.Path}");
        }
    }

    private static Sha256Digest Of(string path, long bytes)
    {
        using ReadBack file = ReadBack.Open(path, bytes);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        for (long left = bytes; left > 0;)
        {
            ReadOnlySpan<byte> next = file.Next((int)Math.Min(left, PieceBytes));
            hash.AppendData(next);
            left -= next.Length;
        }

        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(digest);
        return new Sha256Digest(digest);
    }
}
