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
        if (response.StatusCode != HttpStatusCode.OK || response.Content.Headers.ContentType?.MediaType != BatchFileDocument.ResultsMediaType)
        {
            throw Failures.Protocol(call, "the server does not answer about each file");
        }

        PipeReader reader = PipeReader.Create(await response.Content.ReadAsStreamAsync(watch.Token).ConfigureAwait(false));
        try
        {
            while (true)
            {
                ReadResult read = await reader.ReadAsync(watch.Token).ConfigureAwait(false);
                watch.Touch();
                ReadOnlySequence<byte> left = read.Buffer;
                while (left.PositionOf((byte)'\n') is { } end)
                {
                    var json = new Utf8JsonReader(left.Slice(0, end));
                    receive(JsonSerializer.Deserialize(ref json, TransferJson.Default.BatchResultDocument)
                        ?? throw Failures.Protocol(call, "a line of the answer is empty"));
                    left = left.Slice(left.GetPosition(1, end));
                }

                if (left.Length > BoundedJson.MaxDocument)
                {
                    throw Failures.Protocol(call, "the answer has a line beyond all limits");
                }

                reader.AdvanceTo(left.Start, left.End);
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
}
