using System.Buffers;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server;

/// <summary>GET and HEAD of a file.</summary>
internal sealed class FileDownload(IFileStore store, TransferServerOptions options)
{
    /// <summary>The part of a file that is read and not sent by the system: a page.</summary>
    /// <remarks>So that a file that is changed meanwhile ends short, as one that is read: the client must not take it for whole.</remarks>
    private const int ReadBytes = 4096;

    /// <summary>Below this, a file and the headers before it go out in one call.</summary>
    private const int MinSentBytes = 64 * 1024;

    /// <summary>Below this, a file is read at once, if it is in the page cache, and goes out in one call with the headers.</summary>
    private const int MaxWholeBytes = 16 * 1024;

    private readonly CodedDownload _coded = new(options);

    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        bool isGet = HttpMethods.IsGet(context.Request.Method);
        CancellationToken aborted = context.RequestAborted;
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, isGet ? TransferOperation.Download : TransferOperation.Stat, target.Name);
        DigestNeed? need = NeedOf(context.Request.Headers[TransferHeaders.WantReprDigest]);
        StoredFileReader reader;
        try
        {
            reader = await pass.Store.OpenReadAsync(target.Name, need ?? DigestNeed.IfKnown, aborted);
        }
        catch (TransferException exception)
            when (exception.Error is TransferError.NotFound or TransferError.InvalidRequest)
        {
            // There is none, or it is a folder.
            await FolderRedirect.AnswerAsync(context, pass.Store, target);
            return;
        }

        await using (reader)
        {
            StoredFile file = need is null ? reader.File with { Sha256 = null } : reader.File;
            await AnswerAsync(context, reader, file, pass);
        }
    }

    private async Task AnswerAsync(HttpContext context, StoredFileReader reader, StoredFile file, TransferPass pass)
    {
        IHeaderDictionary asked = context.Request.Headers;
        var fields = new FileFields(context, file);
        ReadConditions.Outcome outcome = ReadConditions.Evaluate(asked, file, options.TimeProvider.GetUtcNow());
        if (outcome == ReadConditions.Outcome.Failed)
        {
            throw ReadConditions.NotMet(file);
        }

        // Coded bytes are not the same from one answer to the next: a client that asks for ranges gets them uncoded.
        await using CodedSource coded = asked.Range.Count == 0
            ? await _coded.ChooseAsync(context, pass.Store, file, fields.MediaType)
            : CodedSource.None;
        fields.Write(coded.Coding, varies: _coded.CanVary(file, fields.MediaType));
        if (outcome == ReadConditions.Outcome.NotModified)
        {
            fields.MakeNotModified();
        }
        else if (!coded.Coding.IsIdentity)
        {
            await CodedDownload.SendAsync(context, reader, coded, pass);
        }
        else
        {
            await SendPlainAsync(context, reader, fields, pass);
        }
    }

    private static async Task SendPlainAsync(
        HttpContext context, StoredFileReader reader, FileFields fields, TransferPass pass)
    {
        HttpResponse response = context.Response;
        StoredFile file = reader.File;
        bool isGet = HttpMethods.IsGet(context.Request.Method);
        StringValues range = context.Request.Headers.Range;
        CancellationToken aborted = context.RequestAborted;
        if (isGet && !pass.IsCounted && await DownloadRedirect.TryAnswerAsync(context, reader))
        {
            return;
        }

        if (isGet && range.Count == 0 && !pass.IsCounted && reader.HasHoles && context.Request.Headers[TransferHeaders.Holes] == "?1")
        {
            // The list has another URL, because caches take two documents with one tag for the same.
            response.StatusCode = StatusCodes.Status303SeeOther;
            response.Headers.Location = $"?{BlockDownload.Extents}";
            response.Headers.CacheControl = CacheControlHeaderValue.NoStoreString;
            response.ContentLength = 0;
            return;
        }

        // Only GET knows ranges: RFC 9110, section 14.2.
        if (isGet
            && ReadConditions.AllowRange(context.Request.Headers, file)
            && RangeSelection.TrySelect(range, file.Length, out IReadOnlyList<ByteRange> ranges))
        {
            if (ranges.Count == 0)
            {
                throw RangeSelection.NotSatisfiable(range, file);
            }

            await pass.CountAsync(file, ranges.Sum(static one => one.Length), aborted);
            response.StatusCode = StatusCodes.Status206PartialContent;
            if (ranges.Count > 1)
            {
                var parts = new MultipartRanges(ranges, file.Length, fields.MediaType);
                response.ContentType = parts.ContentType;
                response.ContentLength = parts.Length;
                await parts.SendAsync(reader, response.BodyWriter, pass, aborted);
                return;
            }

            response.Headers.ContentRange = RangeSelection.ContentRange(ranges[0], file.Length);
            response.ContentLength = ranges[0].Length;
            await StartAndSendAsync(reader, ranges[0], response, pass, aborted);
            return;
        }

        response.ContentLength = file.Length;
        if (isGet)
        {
            await pass.CountAsync(file, file.Length, aborted);
            await StartAndSendAsync(reader, new ByteRange(0, file.Length), response, pass, aborted);
        }
    }

    /// <summary>Sends a part of a file.</summary>
    public static Task SendAsync(
        StoredFileReader reader, ByteRange range, PipeWriter body, TransferPass pass, CancellationToken cancellationToken) =>
        range.Length == 0 ? Task.CompletedTask : SendAsync(reader, range, body, starts: null, pass, cancellationToken);

    /// <summary>
    /// The same where it is all of the body. The response is begun first: before that, Kestrel lends a buffer,
    /// which it copies from.
    /// </summary>
    private static async Task StartAndSendAsync(
        StoredFileReader reader, ByteRange range, HttpResponse response, TransferPass pass, CancellationToken cancellationToken)
    {
        if (range.Length is > 0 and <= MaxWholeBytes)
        {
            if (await TrySendWholeAsync(reader, range, response.BodyWriter, cancellationToken))
            {
                pass.AddBytes(range.Length);
                return;
            }
        }
        else if (range.Length >= MinSentBytes
            && response.HttpContext.Features.Get<IHttpResponseBodyFeature>() is IFileRangeFeature { CanSend: true } sender
            && reader.FindHandle(range) is { } file)
        {
            long bytes = range.Length - ReadBytes;
            try
            {
                await sender.SendFileAsync(file, range.Offset, bytes, cancellationToken);
            }
            catch (IOException exception)
            {
                throw Errors.Changed(reader.File.Name, exception);
            }

            // Ends well also when the client is gone, which sending the rest finds out.
            await SendAsync(reader, new ByteRange(range.Offset + bytes, ReadBytes), response.BodyWriter, response, pass, cancellationToken);
            pass.AddBytes(bytes);
            return;
        }

        if (range.Length > 0)
        {
            await SendAsync(reader, range, response.BodyWriter, response, pass, cancellationToken);
        }
    }

    /// <summary>Sends a part that need not be waited for.</summary>
    /// <returns>False if nothing was sent, because it is not in the page cache.</returns>
    private static async ValueTask<bool> TrySendWholeAsync(
        StoredFileReader reader, ByteRange range, PipeWriter body, CancellationToken cancellationToken)
    {
        if (!reader.Content.IsEmpty)
        {
            ReadOnlyMemory<byte> part = reader.Content.Slice((int)range.Offset, (int)range.Length);
            ResponseWriter.ThrowIfGone(await body.WriteAsync(part, cancellationToken));
            return true;
        }

        byte[] bytes = ArrayPool<byte>.Shared.Rent((int)range.Length);
        try
        {
            Memory<byte> whole = bytes.AsMemory(0, (int)range.Length);
            if (!reader.TryReadCached(range, whole.Span))
            {
                return false;
            }

            ResponseWriter.ThrowIfGone(await body.WriteAsync(whole, cancellationToken));
            return true;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }

    private static async Task SendAsync(
        StoredFileReader reader, ByteRange range, PipeWriter body, HttpResponse? starts, TransferPass pass,
        CancellationToken cancellationToken)
    {
        PipeReader content = pass.TurnBytes is { } turn ? reader.Read(range, turn) : reader.Read(range);
        var writer = new ResponseWriter(body);
        try
        {
            if (starts is not null)
            {
                await starts.StartAsync(cancellationToken);
            }

            await content.CopyToAsync(writer, cancellationToken);
        }
        catch (OperationCanceledException) when (writer.FlushedBytes == range.Length)
        {
            // The client closed the connection after the last byte, before the copy had looked for the end of the file.
        }
        finally
        {
            await content.CompleteAsync();
        }

        pass.AddBytes(range.Length);
    }

    /// <summary>How much <c>Want-Repr-Digest</c> (RFC 9530, section 4) wants a digest; null if it does not.</summary>
    /// <remarks>A field that cannot be read is ignored, as the section demands.</remarks>
    private static DigestNeed? NeedOf(StringValues field) =>
        StructuredField.TryFindMember(field.ToString(), "sha-256", out ReadOnlySpan<char> item)
        && StructuredField.TryCount(item, out long weight)
        && weight <= 10
            ? weight == 0 ? null : DigestNeed.Always
            : DigestNeed.IfCheap;
}
