using System.Buffers;
using System.IO.Compression;
using System.Security.Cryptography;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>What both ends of the rows HttpClient have in common: files and copying as one writes them without a library.</summary>
internal static class PlainCopy
{
    /// <summary>What a durable file's name has more until it is published.</summary>
    public const string TemporarySuffix = ".tmp";

    /// <summary>What HTTP calls gzip.</summary>
    public const string Gzip = "gzip";

    /// <summary>Opens a file for reading.</summary>
    public static FileStream OpenRead(string path, int buffer) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.Read, buffer, FileOptions.Asynchronous);

    /// <summary>Makes a file of what a stream has.</summary>
    /// <param name="from">The stream.</param>
    /// <param name="path">The file, which closing publishes; a durable one is flushed under another name, then renamed.</param>
    /// <param name="buffer">Bytes that are copied at a time.</param>
    /// <param name="digest">Whether they are hashed on the way.</param>
    /// <param name="isDurable">Whether they have to be on the device.</param>
    /// <param name="isCoded">Whether they come with gzip; not with a digest.</param>
    /// <returns>The digest; null when none was asked for.</returns>
    public static async Task<Sha256Digest?> ToFileAsync(
        Stream from, string path, int buffer, bool digest, bool isDurable, bool isCoded = false)
    {
        string written = isDurable ? path + TemporarySuffix : path;
        Sha256Digest? found;
        var file = new FileStream(
            written, FileMode.Create, FileAccess.Write, FileShare.None, buffer, FileOptions.Asynchronous);
        await using (file.ConfigureAwait(false))
        {
            found = isCoded
                ? await DecodeAsync(from, file, buffer).ConfigureAwait(false)
                : await CopyAsync(from, file, buffer, digest).ConfigureAwait(false);
            if (isDurable)
            {
                file.Flush(flushToDisk: true);
            }
        }

        if (isDurable)
        {
            File.Move(written, path, overwrite: true);
        }

        return found;
    }

    /// <summary>Copies to the end, with gzip at its fastest.</summary>
    public static async Task EncodeAsync(Stream from, Stream to, int buffer)
    {
        var coder = new GZipStream(to, CompressionLevel.Fastest, leaveOpen: true);
        await using (coder.ConfigureAwait(false))
        {
            await from.CopyToAsync(coder, buffer).ConfigureAwait(false);
        }
    }

    /// <summary>Copies to the end; with a digest, hashes each piece between reading and writing it.</summary>
    public static async Task<Sha256Digest?> CopyAsync(Stream from, Stream to, int buffer, bool digest)
    {
        if (!digest)
        {
            await from.CopyToAsync(to, buffer).ConfigureAwait(false);
            return null;
        }

        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        byte[] piece = ArrayPool<byte>.Shared.Rent(buffer);
        try
        {
            int read;
            while ((read = await from.ReadAsync(piece.AsMemory(0, buffer)).ConfigureAwait(false)) > 0)
            {
                hash.AppendData(piece, 0, read);
                await to.WriteAsync(piece.AsMemory(0, read)).ConfigureAwait(false);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(piece);
        }

        return DigestOf(hash);
    }

    private static async Task<Sha256Digest?> DecodeAsync(Stream from, Stream to, int buffer)
    {
        var decoder = new GZipStream(from, CompressionMode.Decompress, leaveOpen: true);
        await using (decoder.ConfigureAwait(false))
        {
            await decoder.CopyToAsync(to, buffer).ConfigureAwait(false);
            return null;
        }
    }

    private static Sha256Digest DigestOf(IncrementalHash hash)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(digest);
        return new Sha256Digest(digest);
    }
}
