using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>What concerns files: find, open, put, list, delete.</summary>
internal partial class HttpProtocolClient
{
    private const string WantSha256 = "sha-256=10";

    private static readonly MediaTypeWithQualityHeaderValue Json = new("application/json");

    public override async Task<StoredFile?> FindAsync(TransferName name, bool digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Looking for", name);
        using HttpResponseMessage response = await SendAsync(HttpMethod.Head, ContentUrlOf(name), call, watch, request =>
        {
            if (digest)
            {
                Add(request, TransferHeaders.WantReprDigest, WantSha256);
            }
        }).ConfigureAwait(false);
        if (response.StatusCode is HttpStatusCode.NotFound or HttpStatusCode.Gone or HttpStatusCode.PermanentRedirect)
        {
            // A redirect is to the listing of a folder of that name, which is no file.
            return null;
        }

        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        HttpContentHeaders headers = response.Content.Headers;
        return new StoredFile(
            name,
            headers.ContentLength ?? throw Failures.Protocol(call, "the answer does not say how long the file is"),
            headers.LastModified ?? DateTimeOffset.UnixEpoch,
            Fields.Tag(response) ?? new EntityTag(""),
            Fields.Sha256(response));
    }

    public override async Task<OpenedFile> OpenAsync(
        TransferName name, ByteRange? range, EntityTag? tag, bool digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Downloading", name);
        long started = Stopwatch.GetTimestamp();
        HttpResponseMessage response = await SendAsync(HttpMethod.Get, ContentUrlOf(name), call, watch, request =>
        {
            // A range of something that was coded on the way is worth nothing.
            Add(request, "Accept-Encoding", "identity");
            if (digest)
            {
                Add(request, TransferHeaders.WantReprDigest, WantSha256);
            }

            if (range is { } part)
            {
                request.Headers.Range = new RangeHeaderValue(
                    part.Offset, part.Length == long.MaxValue ? null : part.End - 1);
                if (tag is { } version)
                {
                    Add(request, "If-Range", version.ToString());
                }
            }
        }).ConfigureAwait(false);
        TimeSpan roundTrip = Stopwatch.GetElapsedTime(started);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        try
        {
            return await OpenAsync(response, call, roundTrip, watch).ConfigureAwait(false);
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    public override async Task<UploadAnswer> PutAsync(
        TransferName name, Outgoing content, WritePrecondition precondition, Sha256Digest? digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Put,
            ContentUrlOf(name),
            call,
            watch,
            request =>
            {
                AddPrecondition(request, precondition);
                if (digest is { } sha256)
                {
                    Add(request, TransferHeaders.ReprDigest, DigestField.Format(sha256));
                }
            },
            content).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        return new UploadAnswer(null, Complete: true, Fields.Tag(response), Fields.Sha256(response));
    }

    public override async Task<ListingDocument> ListAsync(
        TransferName folder, bool recursive, string? after, IdleWatch watch)
    {
        ProtocolCall call = Call("Listing", folder);
        string path = folder.IsRoot ? "" : $"{folder.ToEncoded()}/";
        string query = string.Join('&', ListQuery(recursive, after));
        var url = new Uri(Setup.Files, query.Length == 0 ? path : $"{path}?{query}");
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Get, url, call, watch, request => request.Headers.Accept.Add(Json)).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        try
        {
            Stream body = await response.Content.ReadAsStreamAsync(watch.Token).ConfigureAwait(false);
            return await JsonSerializer.DeserializeAsync(body, TransferJson.Default.ListingDocument, watch.Token)
                .ConfigureAwait(false) ?? throw Failures.Protocol(call, "the listing is empty");
        }
        catch (JsonException exception)
        {
            throw Failures.Protocol(call, $"the listing cannot be read ({exception.Message})");
        }
        catch (Exception exception) when (exception is IOException and not TransferException or OperationCanceledException)
        {
            throw Translate(exception, call, watch);
        }
    }

    public override async Task<bool> DeleteAsync(TransferName name, WritePrecondition precondition, IdleWatch watch)
    {
        ProtocolCall call = Call("Deleting", name);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Delete, UrlOf(name), call, watch, request => AddPrecondition(request, precondition))
            .ConfigureAwait(false);
        if (response.StatusCode is HttpStatusCode.NotFound or HttpStatusCode.Gone)
        {
            return false;
        }

        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        return true;
    }

    private static async Task<OpenedFile> OpenAsync(
        HttpResponseMessage response, ProtocolCall call, TimeSpan roundTrip, IdleWatch watch)
    {
        HttpContentHeaders headers = response.Content.Headers;
        long offset = 0;
        long? length = headers.ContentLength;
        if (headers.ContentEncoding.Count > 0)
        {
            throw Failures.Protocol(call, $"the answer is coded ({string.Join(", ", headers.ContentEncoding)}), which was not asked for");
        }

        if (response.StatusCode == HttpStatusCode.PartialContent)
        {
            if (headers.ContentRange is not { From: { } from, To: { } to } range
                || (headers.ContentLength is { } count && count != to - from + 1))
            {
                throw Failures.Protocol(call, "the answer does not say which part of the file it is");
            }

            offset = from;
            length = range.Length;
        }

        return new OpenedFile
        {
            Response = response,
            Body = await response.Content.ReadAsStreamAsync(watch.Token).ConfigureAwait(false),
            Offset = offset,
            Count = headers.ContentLength,
            Length = length,
            Tag = Fields.Tag(response),
            Sha256 = Fields.Sha256(response),
            Modified = headers.LastModified,
            RoundTrip = roundTrip,
        };
    }

    private static IEnumerable<string> ListQuery(bool recursive, string? after)
    {
        if (recursive)
        {
            yield return "recursive=true";
        }

        if (after is not null)
        {
            yield return $"after={Uri.EscapeDataString(after)}";
        }
    }
}
