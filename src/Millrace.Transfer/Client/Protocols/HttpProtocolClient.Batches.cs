using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text.Json;

namespace Millrace.Transfer;

/// <content>Several small files in one request.</content>
internal partial class HttpProtocolClient
{
    private static readonly MediaTypeHeaderValue BatchType = new(BatchFileDocument.MediaType);
    private static readonly MediaTypeHeaderValue NamesType = new(BatchFileDocument.ResultsMediaType);
    private static readonly StreamPipeReaderOptions BatchReader = new(bufferSize: 64 * 1024);

    /// <summary>Uploads files of a folder, and of folders in it, with one request.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="content">The files.</param>
    /// <param name="receive">Receives the answer about each file, in the order of the files.</param>
    /// <param name="watch">Ends it.</param>
    /// <exception cref="TransferException">The request was refused as a whole, or its answer is not the one to such a request.</exception>
    public async Task PutBatchAsync(TransferName folder, Outgoing content, Action<BatchResultDocument> receive, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading several files to", folder);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Post,
            new Uri(folder.IsRoot ? Setup.Files : FolderUrlOf(folder), $"?{BatchFileDocument.Query}"),
            call,
            watch,
            static request => request.Content!.Headers.ContentType = BatchType,
            content).ConfigureAwait(false);
        await ReadBatchAsync(response, BatchFileDocument.ResultsMediaType, call, watch, (answer, _) =>
        {
            receive(answer);
            return default;
        }).ConfigureAwait(false);
    }

    /// <summary>Downloads files of a folder, and of folders in it, with one request.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="names">A line of JSON for each file.</param>
    /// <param name="receive">
    /// Receives the answer about each file, in the order of the files, and its bytes, which it owns then; null if the file did not come.
    /// </param>
    /// <param name="watch">Ends it.</param>
    /// <exception cref="TransferException">
    /// The request was refused as a whole, its answer is not the one to such a request, or it ended early: files that were received are right nevertheless.
    /// </exception>
    public async Task GetBatchAsync(
        TransferName folder, ReadOnlyMemory<byte> names, Action<BatchResultDocument, RentedBody?> receive, IdleWatch watch)
    {
        ProtocolCall call = Call("Downloading several files of", folder);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Post,
            new Uri(folder.IsRoot ? Setup.Files : FolderUrlOf(folder), $"?{BatchFileDocument.Query}={BatchFileDocument.Get}"),
            call,
            watch,
            request =>
            {
                Add(request, "Accept-Encoding", "identity");
                request.Content = new ReadOnlyMemoryContent(names) { Headers = { ContentType = NamesType } };
            }).ConfigureAwait(false);
        int files = 0;
        int unpaced = 0;
        bool hasEnded = false;
        await ReadBatchAsync(response, BatchFileDocument.MediaType, call, watch, async (answer, reader) =>
        {
            int? length = answer.Status == (int)HttpStatusCode.OK ? answer.Length : null;
            if (hasEnded || length < 0 || (answer.Files is { } count && (count != files || length > 0)))
            {
                throw Failures.Protocol(call, "the answer has another number of files than it declares");
            }

            hasEnded = answer.Files is not null;
            unpaced += length ?? 0;
            if (hasEnded || unpaced >= watch.Rate?.MaxBytes)
            {
                // Not for each file: a timer is too coarse for that.
                await watch.PaceAsync(unpaced).ConfigureAwait(false);
                unpaced = 0;
            }

            if (!hasEnded)
            {
                files++;
                receive(answer, length is { } bytes ? await ReadFileAsync(reader, bytes, call, watch).ConfigureAwait(false) : null);
            }
        }).ConfigureAwait(false);
        if (!hasEnded)
        {
            throw Failures.Disconnected(call, null, $"it ended after {files} files");
        }
    }

    /// <returns>Null for a file that has grown since it was listed: there is no room for it beside the others.</returns>
    private static async ValueTask<RentedBody?> ReadFileAsync(PipeReader reader, int length, ProtocolCall call, IdleWatch watch)
    {
        RentedBody? body = length > SmallFile.MaxBytes ? null : RentedBody.Rent(length);
        try
        {
            for (int at = 0; at < length;)
            {
                watch.Touch();
                ReadResult read = await reader.ReadAsync(watch.Token).ConfigureAwait(false);
                ReadOnlySequence<byte> piece = read.Buffer.Slice(0, Math.Min(length - at, read.Buffer.Length));
                if (body is not null)
                {
                    piece.CopyTo(body.Bytes.Span[at..]);
                }

                at += (int)piece.Length;
                reader.AdvanceTo(piece.End);
                if (read.IsCompleted && at < length)
                {
                    throw Failures.Disconnected(call, null, "it ended within a file");
                }
            }

            return body;
        }
        catch
        {
            body?.Dispose();
            throw;
        }
    }

    /// <summary>Reads lines of JSON.</summary>
    /// <param name="response">The response.</param>
    /// <param name="type">Its media type.</param>
    /// <param name="call">The request.</param>
    /// <param name="watch">Ends it.</param>
    /// <param name="receive">Receives each line, and may read bytes that follow it.</param>
    private static async Task ReadBatchAsync(
        HttpResponseMessage response, string type, ProtocolCall call, IdleWatch watch, Func<BatchResultDocument, PipeReader, ValueTask> receive)
    {
        if (response.StatusCode != HttpStatusCode.OK || response.Content.Headers.ContentType?.MediaType != type)
        {
            throw Failures.Protocol(call, "the server does not answer about each file");
        }

        PipeReader reader = PipeReader.Create(await response.Content.ReadAsStreamAsync(watch.Token).ConfigureAwait(false), BatchReader);
        try
        {
            while (true)
            {
                watch.Touch();
                ReadResult read = await reader.ReadAsync(watch.Token).ConfigureAwait(false);
                if (read.Buffer.PositionOf((byte)'\n') is { } end)
                {
                    BatchResultDocument answer = ParseBatchLine(read.Buffer.Slice(0, end))
                        ?? throw Failures.Protocol(call, "a line of the answer is empty");
                    reader.AdvanceTo(read.Buffer.GetPosition(1, end));
                    await receive(answer, reader).ConfigureAwait(false);
                    continue;
                }

                if (read.Buffer.Length > BoundedJson.MaxDocument)
                {
                    throw Failures.Protocol(call, "the answer has a line beyond all limits");
                }

                reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                if (read.IsCompleted)
                {
                    return;
                }
            }
        }
        catch (JsonException exception)
        {
            throw Failures.Protocol(call, $"the answer cannot be read ({exception.Message})");
        }
        catch (Exception exception) when (exception is HttpRequestException or SocketException or IOException and not TransferException or OperationCanceledException)
        {
            throw Failures.Translate(exception, call, watch);
        }
        finally
        {
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    private static BatchResultDocument? ParseBatchLine(ReadOnlySequence<byte> line)
    {
        var json = new Utf8JsonReader(line);
        return JsonSerializer.Deserialize(ref json, TransferJson.Default.BatchResultDocument);
    }
}
