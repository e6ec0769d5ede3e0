using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;

namespace Millrace.Transfer;

/// <content>What concerns files: find, open, list, delete, move.</content>
internal partial class HttpProtocolClient
{
    private static readonly MediaTypeWithQualityHeaderValue Json = new("application/json");
    private static readonly HttpMethod Move = new("MOVE");
    private static readonly HttpMethod MakeCollection = new("MKCOL");

    public override async Task<StoredFile?> FindAsync(TransferName name, bool digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Looking for", name);
        using HttpResponseMessage? response = await SendOrNullAsync(
            HttpMethod.Head, ContentUrlOf(name), call, watch, request => AddWantDigest(request, digest)).ConfigureAwait(false);
        if (response is null)
        {
            return null;
        }

        HttpContentHeaders headers = response.Content.Headers;
        return new StoredFile(
            name,
            headers.ContentLength ?? throw Failures.Protocol(call, "the response has no length of the file"),
            Fields.Modified(response) ?? DateTimeOffset.UnixEpoch,
            Fields.Tag(response) ?? new EntityTag(""),
            Fields.Sha256(response))
        {
            IsExecutable = Fields.IsExecutable(response),
        };
    }

    public override async Task<OpenedFile> OpenAsync(
        TransferName name, ByteRange? range, EntityTag? tag, bool digest, IdleWatch watch, bool acceptsHoles = false)
    {
        ProtocolCall call = Call("Downloading", name);
        long started = Stopwatch.GetTimestamp();
        void Prepare(HttpRequestMessage request)
        {
            // A range of something that was coded on the way is worth nothing.
            Add(request, "Accept-Encoding", "identity");
            if (range is { } part)
            {
                request.Headers.Range = new RangeHeaderValue(
                    part.Offset, part.Length == long.MaxValue ? null : part.End - 1);
                if (tag is { } version)
                {
                    Add(request, "If-Range", version.ToString());
                }
            }
        }

        HttpResponseMessage described = await SendAnyAsync(
            HttpMethod.Get,
            ContentUrlOf(name),
            call,
            watch,
            request =>
            {
                Prepare(request);
                AddWantDigest(request, digest);
                if (acceptsHoles)
                {
                    Add(request, TransferHeaders.Holes, "?1");
                }

                if (Setup.Options.FollowRedirects)
                {
                    Add(request, "Prefer", "redirect");
                }
            },
            content: null).ConfigureAwait(false);
        if (acceptsHoles && described.StatusCode == HttpStatusCode.SeeOther)
        {
            return new OpenedFile { Response = described, Body = Stream.Null, Offset = 0, HasHoles = true };
        }

        HttpResponseMessage response = IsRedirect(described)
            ? await FollowAsync(described, call, watch, Prepare).ConfigureAwait(false)
            : described;
        if (!response.IsSuccessStatusCode)
        {
            throw await RefusalAsync(response, call, watch).ConfigureAwait(false);
        }

        TimeSpan roundTrip = Stopwatch.GetElapsedTime(started);
        try
        {
            return await OpenAsync(response, described, call, roundTrip, watch).ConfigureAwait(false);
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    public override async Task<OpenedRanges?> OpenAsync(
        TransferName name, IReadOnlyList<ByteRange> ranges, EntityTag tag, IdleWatch watch)
    {
        ProtocolCall call = Call("Downloading", name);
        HttpResponseMessage response = await SendAsync(HttpMethod.Get, ContentUrlOf(name), call, watch, request =>
        {
            Add(request, "Accept-Encoding", "identity");
            Add(request, "If-Range", tag.ToString());
            var header = new RangeHeaderValue();
            foreach (ByteRange range in ranges)
            {
                header.Ranges.Add(new RangeItemHeaderValue(range.Offset, range.End - 1));
            }

            request.Headers.Range = header;
        }).ConfigureAwait(false);
        try
        {
            MediaTypeHeaderValue? type = response.Content.Headers.ContentType;
            string? boundary = type?.Parameters
                .FirstOrDefault(parameter => parameter.Name.Equals("boundary", StringComparison.OrdinalIgnoreCase))?.Value?.Trim('"');
            if (response.StatusCode != HttpStatusCode.PartialContent || boundary is null
                || !string.Equals(type?.MediaType, "multipart/byteranges", StringComparison.OrdinalIgnoreCase))
            {
                response.Dispose();
                return null;
            }

            Stream body = await response.Content.ReadAsStreamAsync(watch.Token).ConfigureAwait(false);
            return new OpenedRanges(response, body, boundary, call) { Tag = Fields.Tag(response), Modified = Fields.Modified(response) };
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    public override Task<OpenedFile> OpenBlocksAsync(TransferName name, IdleWatch watch) =>
        OpenListAsync(name, "?blocks", Call("Asking for the blocks of", name), watch);

    public override Task<OpenedFile> OpenExtentsAsync(TransferName name, IdleWatch watch) =>
        OpenListAsync(name, "?extents", Call("Asking for the extents of", name), watch);

    private async Task<OpenedFile> OpenListAsync(TransferName name, string query, ProtocolCall call, IdleWatch watch)
    {
        HttpResponseMessage response = await SendAsync(
            HttpMethod.Get, new Uri(UrlOf(name), query), call, watch, static request => Add(request, "Accept-Encoding", "identity"))
            .ConfigureAwait(false);
        try
        {
            return await OpenAsync(response, response, call, default, watch).ConfigureAwait(false);
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    public override Task<ListingDocument> ListAsync(TransferName folder, bool recursive, string? after, bool digests, IdleWatch watch) =>
        ListAsync(new ListOptions { Folder = folder, Recursive = recursive }, after, digests, watch);

    public async Task<ListingDocument> ListAsync(ListOptions options, string? after, bool digests, IdleWatch watch)
    {
        TransferName folder = options.Folder;
        ProtocolCall call = Call("Listing", folder);
        string path = folder.IsRoot ? "" : $"{folder.ToEncoded()}/";
        string prefix = options.Prefix is null ? "" : $"&limit=1&prefix={Uri.EscapeDataString(options.Prefix)}";
        string from = after is null ? "" : $"&after={Uri.EscapeDataString(after)}";
        var url = new Uri(
            Setup.Files,
            $"{path}?recursive={(options.Recursive ? "true" : "false")}{(options.SymbolicLinks ? "&symlinks" : "")}{(digests ? "" : "&digests=false")}{prefix}{from}");
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Get, url, call, watch, request => request.Headers.Accept.Add(Json)).ConfigureAwait(false);
        try
        {
            ListingDocument? listing = await BoundedJson.ReadAsync(
                response, BoundedJson.MaxListing, TransferJson.Default.ListingDocument, watch.Token).ConfigureAwait(false);
            return listing is not null && !listing.Entries.Contains(null!)
                ? listing
                : throw Failures.Protocol(call, "the listing is empty, or an entry of it is");
        }
        catch (JsonException exception)
        {
            throw Failures.Protocol(call, $"the listing cannot be read ({exception.Message})");
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException and not TransferException or OperationCanceledException)
        {
            throw Failures.Translate(exception, call, watch);
        }
    }

    public override async IAsyncEnumerable<SearchDocument> SearchAsync(TransferName folder, string text, int limit, IdleWatch watch)
    {
        ProtocolCall call = Call("Searching", folder);
        string path = folder.IsRoot ? "" : $"{folder.ToEncoded()}/";
        var url = new Uri(Setup.Files, $"{path}?search={Uri.EscapeDataString(text)}&limit={limit}");
        using HttpResponseMessage response = await SendAsync(HttpMethod.Get, url, call, watch, static _ => { }).ConfigureAwait(false);
        if (response.Content.Headers.ContentType?.MediaType != "application/jsonl")
        {
            throw new TransferException(TransferError.InvalidRequest, $"{call.Verb} '{call.Name}': this server does not search names.", folder.Value);
        }

        Stream body = await response.Content.ReadAsStreamAsync(watch.Token).ConfigureAwait(false);
        PipeReader reader = PipeReader.Create(body);
        try
        {
            var entries = new List<ListingEntry>();
            while (true)
            {
                ReadResult read = await ReadAsync().ConfigureAwait(false);
                ReadOnlySequence<byte> left = read.Buffer;
                while (left.PositionOf((byte)'\n') is { } end)
                {
                    SearchDocument? state = Parse(left.Slice(0, end));
                    left = left.Slice(left.GetPosition(1, end));
                    if (state is not null)
                    {
                        yield return state;
                    }
                }

                if (left.Length > BoundedJson.MaxDocument || entries.Count > limit)
                {
                    throw Failures.Protocol(call, "the answer has a line, or a number of entries, beyond all limits");
                }

                reader.AdvanceTo(left.Start, left.End);
                if (read.IsCompleted)
                {
                    yield break;
                }
            }

            SearchDocument? Parse(ReadOnlySequence<byte> line)
            {
                try
                {
                    var json = new Utf8JsonReader(line);
                    SearchDocument state = JsonSerializer.Deserialize(ref json, TransferJson.Default.SearchDocument)
                        ?? throw Failures.Protocol(call, "a line of the answer is empty");
                    if (state.Searched is not null)
                    {
                        state.Entries = [.. entries];
                        entries.Clear();
                        return state;
                    }

                    json = new Utf8JsonReader(line);
                    entries.Add(JsonSerializer.Deserialize(ref json, TransferJson.Default.ListingEntry)!);
                    return null;
                }
                catch (JsonException exception)
                {
                    throw Failures.Protocol(call, $"the answer cannot be read ({exception.Message})");
                }
            }
        }

        finally
        {
            await reader.CompleteAsync().ConfigureAwait(false);
        }

        async ValueTask<ReadResult> ReadAsync()
        {
            try
            {
                ReadResult read = await reader.ReadAsync(watch.Token).ConfigureAwait(false);
                watch.Touch();
                return read;
            }
            catch (Exception exception) when (exception is HttpRequestException or IOException and not TransferException or OperationCanceledException)
            {
                throw Failures.Translate(exception, call, watch);
            }
        }
    }

    public override async Task<bool> DeleteAsync(TransferName name, WritePrecondition precondition, IdleWatch watch)
    {
        using HttpResponseMessage? response = await SendOrNullAsync(
            HttpMethod.Delete, UrlOf(name), Call("Deleting", name), watch, request => AddPrecondition(request, precondition))
            .ConfigureAwait(false);
        return response is not null;
    }

    public override async Task<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, IdleWatch watch)
    {
        using HttpResponseMessage? response = await SendOrNullAsync(
            HttpMethod.Delete,
            WithHidden(FolderUrlOf(folder), options.IncludeHidden),
            Call("Deleting", folder),
            watch,
            static request => Add(request, "Depth", "infinity")).ConfigureAwait(false);
        return response is not null;
    }

    public override async Task MoveAsync(TransferName from, TransferName to, MoveOptions options, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(
            Move, WithHidden(UrlOf(from), options.IncludeHidden), Call("Moving", from), watch, request =>
        {
            Add(request, "Destination", UrlOf(to).AbsolutePath);
            Add(request, "Overwrite", options.Replace ? "T" : "F");
            AddPrecondition(request, options.Source);
        }).ConfigureAwait(false);
    }

    public override async Task CreateFolderAsync(TransferName folder, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(
            MakeCollection, FolderUrlOf(folder), Call("Creating", folder), watch, static _ => { }).ConfigureAwait(false);
    }

    public override async Task<(TransferName Name, string Version)> CloneFolderAsync(TransferName folder, TransferName clone, IdleWatch watch)
    {
        ProtocolCall call = Call("Making a second folder of", folder);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Post, new Uri(FolderUrlOf(folder), "?clone"), call, watch, request => Add(request, "Destination", UrlOf(clone).AbsolutePath))
            .ConfigureAwait(false);
        string version = response.Headers.ETag?.Tag.Trim('"') ?? "";
        return TransferName.TryParse(clone.Value + version, out TransferName name) && version.Length > 0
            && response.Headers.Location?.OriginalString.EndsWith(version + "/", StringComparison.Ordinal) is true
            ? (name, version)
            : throw Failures.Protocol(call, "the response does not name it");
    }

    public override async Task ExchangeFoldersAsync(TransferName folder, TransferName other, WritePrecondition precondition, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Post, new Uri(FolderUrlOf(folder), "?exchange"), Call("Exchanging", folder), watch, request =>
            {
                Add(request, "Destination", UrlOf(other).AbsolutePath);
                AddPrecondition(request, precondition);
            }).ConfigureAwait(false);
    }

    private static Uri WithHidden(Uri url, bool isIncluded) => isIncluded ? new Uri(url, "?hidden") : url;

    private Uri FolderUrlOf(TransferName folder) => new(Setup.Files, $"{folder.ToEncoded()}/");

    private static async Task<OpenedFile> OpenAsync(
        HttpResponseMessage response, HttpResponseMessage described, ProtocolCall call, TimeSpan roundTrip, IdleWatch watch)
    {
        HttpContentHeaders headers = response.Content.Headers;
        long offset = 0;
        long? length = headers.ContentLength;
        if (headers.ContentEncoding.Count > 0)
        {
            throw Failures.Protocol(call, $"the response is encoded ({string.Join(", ", headers.ContentEncoding)}), which was not requested");
        }

        if (response.StatusCode == HttpStatusCode.PartialContent)
        {
            if (headers.ContentRange is not { From: { } from, To: { } to } range
                || (headers.ContentLength is { } count && count != to - from + 1))
            {
                throw Failures.Protocol(call, "the response does not identify its part of the file");
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
            Sha256 = Fields.Sha256(described),
            Modified = Fields.Modified(described),
            IsExecutable = Fields.IsExecutable(described),
            RoundTrip = roundTrip,
        };
    }

    private static void AddWantDigest(HttpRequestMessage request, bool digest)
    {
        if (digest)
        {
            Add(request, TransferHeaders.WantReprDigest, "sha-256=10");
        }
    }
}
