using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>POST FOLDER/?batch=get: several small files in one response, each as by a GET. docs/protocol.md describes it.</summary>
[SuppressMessage("Design", "CA1001:Types that own disposable fields should be disposable", Justification = "A semaphore without a wait handle holds nothing.")]
internal sealed class BatchDownload(IFileStore store)
{
    /// <summary>Bytes of a request: as many of the longest names as it may have, escaped.</summary>
    private const int MaxRequestBytes = 4 * 1024 * 1024;

    /// <summary>Files of a request that are read at once, because each may wait for a bucket or a device.</summary>
    private const int MaxAhead = 16;

    /// <summary>Files that all requests read before those in front of them are sent: 64 MiB, for clients that do not receive.</summary>
    private const int MaxAheadInAll = 64;

    /// <summary>Bytes of the response that are not flushed.</summary>
    private const int PieceBytes = 64 * 1024;

    private readonly SemaphoreSlim _ahead = new(MaxAheadInAll);

    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, TransferOperation.DownloadBatch, target.Name);
        BatchUpload.ThrowIfOther(
            context.Request, target.Name, BatchFileDocument.ResultsMediaType,
            $"Send the names as {BatchFileDocument.ResultsMediaType}: a line of JSON for each file.");
        CallerLimits.LimitDocument(context, MaxRequestBytes);
        List<Wanted> files = await ReadNamesAsync(context, target.Name, pass);
        HttpResponse response = context.Response;
        response.ContentType = BatchFileDocument.MediaType;
        response.Headers.CacheControl = CacheControlHeaderValue.NoStoreString;
        response.Headers.XContentTypeOptions = "nosniff";
        FileFields.PassOn(response.Headers);
        await response.StartAsync(context.RequestAborted);
        await SendAsync(response.BodyWriter, files, target.Name, pass, context.RequestAborted);
    }

    private static async ValueTask<List<Wanted>> ReadNamesAsync(HttpContext context, TransferName folder, TransferPass pass)
    {
        TransferGuard guard = TransferGuard.Of(context);
        var files = new List<Wanted>();
        using var body = new BatchBody(context.Request.BodyReader, files: null);
        while (await body.ReadLineAsync(context.RequestAborted) is { } line)
        {
            if (files.Count == BatchUpload.MaxFiles)
            {
                throw BatchUpload.TooManyFiles();
            }

            var result = new BatchResultDocument { Name = line.Name! };
            TransferName name = default;
            try
            {
                name = BatchFile.NameOf(line, folder, pass.Store);
                await guard.AuthorizeFileAsync(context, TransferOperation.DownloadBatch.Scope, name);
            }
            catch (TransferException exception)
            {
                BatchUpload.Refuse(result, Refusal.Of(exception)!);
            }

            files.Add(new Wanted(result, name, line.IfMatch));
        }

        return files;
    }

    private async Task SendAsync(
        PipeWriter body, List<Wanted> files, TransferName folder, TransferPass pass, CancellationToken cancellationToken)
    {
        using var writer = new Utf8JsonWriter(body, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
        int unflushed = 0;
        int begun = 0;
        int sent = 0;
        try
        {
            while (sent < files.Count)
            {
                Wanted file = files[sent];
                if (begun < files.Count && begun < sent + MaxAhead && (begun == sent || (!file.Reading.IsCompleted && _ahead.Wait(0, CancellationToken.None))))
                {
                    Wanted next = files[begun++];
                    next.Reading = ReadAsync(pass.Store, next, cancellationToken);
                    continue;
                }

                if (unflushed >= PieceBytes || (unflushed > 0 && !file.Reading.IsCompleted))
                {
                    ResponseWriter.ThrowIfGone(await body.FlushAsync(cancellationToken));
                    unflushed = 0;

                    // What reports that the client is gone may wait for a thread.
                    await Task.Yield();
                }

                await file.Reading;
                int length = file.Result.Length ?? 0;
                unflushed += BatchLine.Write(body, writer, file.Result, TransferJson.Default.BatchResultDocument);
                if (length < PieceBytes)
                {
                    body.Write(file.Content.AsSpan(0, length));
                    unflushed += length;
                }
                else
                {
                    // Not at once: the caller may have a limit of the rate.
                    ResponseWriter.ThrowIfGone(await body.WriteAsync(file.Content.AsMemory(0, length), cancellationToken));
                    unflushed = PieceBytes;
                }

                pass.AddBytes(length);
                Return(file);
                if (begun > ++sent)
                {
                    // Nothing is in front of the next one any more.
                    _ahead.Release();
                }
            }

            body.Write(Encoding.UTF8.GetBytes($"{{\"files\":{files.Count}}}\n"));
            ResponseWriter.ThrowIfGone(await body.FlushAsync(cancellationToken));
        }
        finally
        {
            for (int i = sent; i < begun; i++)
            {
                await files[i].Reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                Return(files[i]);
                if (i > sent)
                {
                    _ahead.Release();
                }
            }

            // At the end: a line at a time would wake the log's thread for each.
            if (pass.FileLog is { } log)
            {
                files.GetRange(0, sent).ForEach(file => BatchUpload.Log(log, folder, file.Result, file.Result.Length ?? 0));
            }
        }
    }

    /// <summary>Reads a file whole, so that its line describes the bytes that follow, and writes the line; of one that is refused, with the reason.</summary>
    private static async Task ReadAsync(IFileStore store, Wanted file, CancellationToken cancellationToken)
    {
        BatchResultDocument result = file.Result;
        if (result.Status != 0)
        {
            return;
        }

        try
        {
            await using StoredFileReader reader = await store.OpenReadAsync(file.Name, DigestNeed.IfKnown, cancellationToken);
            StoredFile found = reader.File;
            if (file.IfMatch is { } match && !ReadConditions.IsMatched(match, found))
            {
                throw ReadConditions.NotMet(found);
            }

            if (found.Length > BatchUpload.MaxFileBytes)
            {
                throw new TransferException(
                    TransferError.TooLarge, $"A file of a batch has at most {BatchUpload.MaxFileBytes} bytes. Get '{found.Name}' by a GET.", found.Name.Value);
            }

            file.Content = ArrayPool<byte>.Shared.Rent((int)found.Length);
            Memory<byte> whole = file.Content.AsMemory(0, (int)found.Length);
            await ReadAsync(reader, file.Content, cancellationToken);

            // One that is known also shows bytes that have been damaged since they were stored.
            Sha256Digest sha256 = found.Sha256 is { } known && reader.IsUnchanged ? known : new Sha256Digest(SHA256.HashData(whole.Span));
            (result.Status, result.Length, result.Tag) = (StatusCodes.Status200OK, whole.Length, found.Tag.ToString());
            (result.Modified, result.Executable, result.Sha256) = (found.Modified.ToString(), found.IsExecutable ? true : null, sha256.ToBase64());
        }
        catch (Exception exception) when (Refusal.Of(exception) is { } refusal)
        {
            BatchUpload.Refuse(result, refusal);
            result.Length = null;
        }
    }

    private static async ValueTask ReadAsync(StoredFileReader reader, byte[] content, CancellationToken cancellationToken)
    {
        var range = new ByteRange(0, reader.File.Length);
        if (!reader.Content.IsEmpty)
        {
            reader.Content.CopyTo(content);
        }
        else if (range.Length > 0 && !reader.TryReadCached(range, content.AsSpan(0, (int)range.Length)))
        {
            PipeReader pipe = reader.Read(range);
            try
            {
                var stream = new MemoryStream(content, 0, (int)range.Length);
                await pipe.CopyToAsync(stream, cancellationToken);
                if (stream.Position < range.Length)
                {
                    // Never the bytes that were in this memory before.
                    throw Errors.Changed(reader.File.Name);
                }
            }
            finally
            {
                await pipe.CompleteAsync();
            }
        }
    }

    private static void Return(Wanted file)
    {
        if (file.Content is { } content)
        {
            ArrayPool<byte>.Shared.Return(content);
        }

        (file.Content, file.Reading) = (null, Task.CompletedTask);
    }

    /// <summary>A file of a request.</summary>
    /// <param name="Result">Its line in the response; has a status already if it is refused.</param>
    /// <param name="Name">Its name in the store.</param>
    /// <param name="IfMatch">The field If-Match; null without one.</param>
    private sealed record Wanted(BatchResultDocument Result, TransferName Name, string? IfMatch)
    {
        /// <summary>Ends when the line and the bytes are there.</summary>
        public Task Reading { get; set; } = Task.CompletedTask;

        /// <summary>Memory of the shared pool with the bytes; null if it is refused.</summary>
        public byte[]? Content { get; set; }
    }
}
