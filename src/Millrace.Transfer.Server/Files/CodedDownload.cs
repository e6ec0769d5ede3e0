using System.IO.Compression;

namespace Millrace.Transfer.Server;

/// <summary>Sends files in gzip or brotli to clients that accept it.</summary>
internal sealed class CodedDownload(TransferServerOptions options)
{
    /// <summary>Bytes from which a file is compressed.</summary>
    /// <remarks>A smaller one fits into the packet that carries its head, compressed or not.</remarks>
    public const int MinLength = 1024;

    /// <summary>Whether the same request with other codings accepted could be answered with other bytes.</summary>
    public bool CanVary(StoredFile file, string mediaType) =>
        options.ServePrecompressed || CanCompress(file, mediaType);

    /// <summary>Chooses the coding for a client that asked for the whole file.</summary>
    public async ValueTask<CodedSource> ChooseAsync(
        HttpContext context, IFileStore store, StoredFile file, string mediaType)
    {
        if (!CanVary(file, mediaType))
        {
            return CodedSource.None;
        }

        IReadOnlyList<ContentCoding> accepted = ContentCoding.Accepted(context.Request.Headers.AcceptEncoding);
        if (options.ServePrecompressed)
        {
            foreach (ContentCoding coding in accepted)
            {
                if (await FindStoredAsync(store, file, coding, context.RequestAborted) is { } stored)
                {
                    return new CodedSource(coding, stored);
                }
            }
        }

        return accepted.Count > 0 && CanCompress(file, mediaType) ? new CodedSource(accepted[0], null) : CodedSource.None;
    }

    /// <summary>Sends it; the fields are written, but for the length.</summary>
    public static async Task SendAsync(
        HttpContext context, StoredFileReader reader, CodedSource coded, TransferPass pass)
    {
        HttpResponse response = context.Response;
        bool isGet = HttpMethods.IsGet(context.Request.Method);
        if (isGet)
        {
            await pass.CountAsync(reader.File, reader.File.Length, context.RequestAborted);
        }

        if (coded.Stored is { } stored)
        {
            response.ContentLength = stored.File.Length;
            if (isGet)
            {
                await FileDownload.SendAsync(
                    stored, new ByteRange(0, stored.File.Length), response.BodyWriter, pass, context.RequestAborted);
            }
        }
        else if (isGet)
        {
            await CompressAsync(new BodyStream(response.BodyWriter), reader, coded.Coding, context.RequestAborted);
            pass.AddBytes(reader.File.Length);
        }
    }

    private bool CanCompress(StoredFile file, string mediaType) =>
        options.Compress && file.Length >= MinLength && MediaType.IsCompressible(mediaType);

    private static async ValueTask<StoredFileReader?> FindStoredAsync(
        IFileStore store, StoredFile file, ContentCoding coding, CancellationToken cancellationToken)
    {
        if (!TransferName.TryParse(file.Name.Value + coding.Suffix, out TransferName name)
            || await store.FindAsync(name, DigestNeed.IfKnown, cancellationToken) is null)
        {
            return null;
        }

        StoredFileReader stored = await store.OpenReadAsync(name, DigestNeed.IfKnown, cancellationToken);
        if (stored.File.Modified.ToDateTimeOffset() >= file.Modified.ToDateTimeOffset())
        {
            return stored;
        }

        // Made from an earlier version of the file.
        await stored.DisposeAsync();
        return null;
    }

    private static async Task CompressAsync(
        Stream body, StoredFileReader reader, ContentCoding coding, CancellationToken cancellationToken)
    {
        PipeReader content = reader.Read(new ByteRange(0, reader.File.Length));
        try
        {
            await using Stream compressing = coding == ContentCoding.Brotli
                ? new BrotliStream(body, CompressionLevel.Fastest, leaveOpen: true)
                : new GZipStream(body, CompressionLevel.Fastest, leaveOpen: true);
            await content.CopyToAsync(compressing, cancellationToken);
        }
        finally
        {
            await content.CompleteAsync();
        }
    }
}
