using System.Buffers;
using System.IO.Compression;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The server's end of the rows HttpClient.</summary>
internal sealed class PlainEndpoints(string folder)
{
    public const string FilesPath = "plain/files/";

    /// <summary>Where the digest of the last file that was sent is. One transfer runs at a time.</summary>
    public const string DigestPath = "plain/digest";
    private const string NameKey = "name";

    private Sha256Digest? _sent;

    public void Map(IEndpointRouteBuilder endpoints)
    {
        const string Pattern = "/" + FilesPath + "{" + NameKey + "}";
        endpoints.MapMethods(Pattern, [HttpMethods.Get], SendAsync);
        endpoints.MapMethods(Pattern, [HttpMethods.Put], ReceiveAsync);
        endpoints.MapMethods("/" + DigestPath, [HttpMethods.Get], context => context.Response.WriteAsync($"{_sent}"));
    }

    private async Task SendAsync(HttpContext context)
    {
        int buffer = BufferOf(context);
        FileStream file = PlainCopy.OpenRead(PathOf(context), buffer);
        await using (file.ConfigureAwait(false))
        {
            context.Response.ContentType = "application/octet-stream";
            if (Asks(context, "gzip"))
            {
                context.Response.Headers.ContentEncoding = PlainCopy.Gzip;
                await PlainCopy.EncodeAsync(file, context.Response.Body, buffer).ConfigureAwait(false);
                return;
            }

            context.Response.ContentLength = file.Length;
            _sent = await PlainCopy.CopyAsync(file, context.Response.Body, buffer, Asks(context, "digest"))
                .ConfigureAwait(false);
        }
    }

    private async Task ReceiveAsync(HttpContext context)
    {
        // A server's usual limit is 30 MB, and this file is longer.
        context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>().MaxRequestBodySize = null;
        Sha256Digest? digest = await PlainCopy.ToFileAsync(
            context.Request.Body,
            PathOf(context),
            BufferOf(context),
            Asks(context, "digest"),
            Asks(context, "durable"),
            context.Request.Headers.ContentEncoding.Count > 0).ConfigureAwait(false);
        context.Response.StatusCode = StatusCodes.Status201Created;
        await context.Response.WriteAsync($"{digest}").ConfigureAwait(false);
    }

    // Only the laboratory sends requests, on loopback, with names that it chose.
    private string PathOf(HttpContext context) =>
        Path.Combine(folder, Path.GetFileName((string)context.Request.RouteValues[NameKey]!));

    private static int BufferOf(HttpContext context) =>
        int.Parse(context.Request.Query["buffer"]!, CultureInfo.InvariantCulture);

    private static bool Asks(HttpContext context, string what) => bool.Parse(context.Request.Query[what]!);
}

/// <summary>What both ends of the rows HttpClient have in common: files and copying as one writes them without a library.</summary>
internal static class PlainCopy
{
    /// <summary>The suffix of a durable file's name until it is published.</summary>
    public const string TemporarySuffix = ".tmp";
    public const string Gzip = "gzip";

    public static FileStream OpenRead(string path, int buffer) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.Read, buffer, FileOptions.Asynchronous);

    public static FileStream Create(string path, int buffer) =>
        new(path, FileMode.Create, FileAccess.Write, FileShare.None, buffer, FileOptions.Asynchronous);

    /// <param name="path">The file, which closing publishes; a durable one is flushed under another name, then renamed.</param>
    /// <param name="buffer">Bytes that are copied at a time.</param>
    /// <returns>The digest; null when none was asked for.</returns>
    public static async Task<Sha256Digest?> ToFileAsync(
        Stream from, string path, int buffer, bool digest, bool isDurable, bool isCoded = false)
    {
        string written = isDurable ? path + TemporarySuffix : path;
        Sha256Digest? found;
        FileStream file = Create(written, buffer);
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
