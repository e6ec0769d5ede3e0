using System.Diagnostics;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <content>What concerns files: find, open, list, delete, move.</content>
internal sealed partial class GrpcProtocolClient
{
    /// <summary>Entries of a page of a listing, as HTTP's have.</summary>
    private const int PageEntries = 1000;

    public override async Task<StoredFile?> FindAsync(TransferName name, bool digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Looking for", name);
        ThrowIfLinked(name, call);
        try
        {
            FileVersion file = await AskAsync(
                "Stat", new StatRequest { Name = name.Value, WantSha256 = digest }, FileVersion.Parser, call, watch).ConfigureAwait(false);
            return ToFile(file, name, call);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return null;
        }
    }

    public override async Task<OpenedFile> OpenAsync(
        TransferName name, ByteRange? range, EntityTag? tag, bool digest, IdleWatch watch, bool acceptsHoles = false)
    {
        ProtocolCall call = Call("Downloading", name);
        ThrowIfLinked(name, call);
        TransferClientOptions options = _setup.Options;
        var message = new DownloadRequest
        {
            Name = name.Value,
            WantSha256 = digest,
            AcceptsHoles = acceptsHoles,
            ChunkBytes = options.ChunkBytes ?? 0,
        };
        if (range is { } part)
        {
            message.Offset = part.Offset;
            if (part.Length != long.MaxValue)
            {
                message.Count = part.Length;
            }

            if (tag is { } version)
            {
                message.IfTag = version.Value;
            }
        }

        return await OpenAsync("Download", message, call, watch).ConfigureAwait(false);
    }

    public override Task<OpenedFile> OpenBlocksAsync(TransferName name, IdleWatch watch)
    {
        ProtocolCall call = Call("Asking for the blocks of", name);
        return OpenAsync("Blocks", new BlocksRequest { Name = name.Value }, call, watch);
    }

    public override Task<OpenedFile> OpenExtentsAsync(TransferName name, IdleWatch watch)
    {
        ProtocolCall call = Call("Asking for the extents of", name);
        return OpenAsync("Extents", new ExtentsRequest { Name = name.Value }, call, watch);
    }

    public override async Task<ListingDocument> ListAsync(
        TransferName folder, bool recursive, string? after, bool digests, IdleWatch watch)
    {
        ProtocolCall call = Call("Listing", folder);
        using var exchange = new GrpcExchange(_setup, call, watch);
        try
        {
            GrpcInput input = await SendAsync(
                exchange,
                "List",
                new ListRequest { Folder = folder.Value, Recursive = recursive, After = after ?? "", Limit = PageEntries, OmitDigests = !digests })
                .ConfigureAwait(false);
            List<ListingEntry> entries =
                await ReadPageAsync(exchange, input, ListEntry.Parser, entry => ToEntry(entry, call), call).ConfigureAwait(false);
            return new ListingDocument
            {
                Folder = folder.Value,
                Entries = entries,
                Omitted = (int?)Fields.Number(input.Field(GrpcFields.Omitted)),
                OmittedNames = (int?)Fields.Number(input.Field(GrpcFields.OmittedNames)),
                OmittedKinds = (int?)Fields.Number(input.Field(GrpcFields.OmittedKinds)),
                OmittedUnreadable = (int?)Fields.Number(input.Field(GrpcFields.OmittedUnreadable)),
                Next = entries.Count == PageEntries ? entries[^1].Name : null,
            };
        }
        catch (Exception exception) when (exception is not TransferException)
        {
            throw exchange.Translate(exception);
        }
    }

    /// <summary>The messages of a stream that is a page of a listing.</summary>
    private static async Task<List<TEntry>> ReadPageAsync<TMessage, TEntry>(
        GrpcExchange exchange, GrpcInput input, MessageParser<TMessage> parser, Func<TMessage, TEntry> read, ProtocolCall call)
        where TMessage : class, IMessage<TMessage>
    {
        var entries = new List<TEntry>();
        long bytes = 0;
        while (await GrpcMessages.ReadAsync(input, parser, exchange.Token).ConfigureAwait(false) is { } entry)
        {
            if (entries.Count == PageEntries)
            {
                throw Failures.Protocol(call, $"the page has more than the {PageEntries} entries that were requested");
            }

            bytes += entry.CalculateSize();
            if (bytes > BoundedJson.MaxListing)
            {
                throw Failures.Protocol(call, $"a page has more than {BoundedJson.MaxListing} bytes");
            }

            entries.Add(read(entry));
        }

        input.ThrowUnlessOk();
        return entries;
    }

    public override async IAsyncEnumerable<SearchDocument> SearchAsync(TransferName folder, string text, int limit, IdleWatch watch)
    {
        ProtocolCall call = Call("Searching", folder);
        using var exchange = new GrpcExchange(_setup, call, watch);
        GrpcInput? input = null;
        while (await NextAsync().ConfigureAwait(false) is { } response)
        {
            watch.Touch();
            yield return new SearchDocument
            {
                Entries = [.. response.Entries.Select(entry => ToEntry(entry, call))],
                Searched = response.Searched,
                Complete = response.Complete,
                More = response.More,
                Omitted = response.Omitted,
            };
        }

        async ValueTask<SearchResponse?> NextAsync()
        {
            try
            {
                input ??= await SendAsync(
                    exchange, "Search", new SearchRequest { Folder = folder.Value, Text = text, Limit = limit }).ConfigureAwait(false);
                SearchResponse? response = await GrpcMessages.ReadAsync(input, SearchResponse.Parser, exchange.Token).ConfigureAwait(false);
                if (response is null)
                {
                    input.ThrowUnlessOk();
                }

                return response;
            }
            catch (Exception exception) when (exception is not TransferException)
            {
                throw exchange.Translate(exception);
            }
        }
    }

    public override Task<bool> DeleteAsync(TransferName name, WritePrecondition precondition, IdleWatch watch) => DeleteAsync(
        new DeleteRequest { Name = name.Value, Precondition = GrpcMapping.ToMessage(precondition) }, Call("Deleting", name), watch);

    public override Task<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, IdleWatch watch) => DeleteAsync(
        new DeleteRequest { Name = folder.Value, Recursive = true, IncludeHidden = options.IncludeHidden }, Call("Deleting", folder), watch);

    public override Task MoveAsync(TransferName from, TransferName to, MoveOptions options, IdleWatch watch) => AskAsync(
        "Move",
        new MoveRequest
        {
            From = from.Value,
            To = to.Value,
            Precondition = GrpcMapping.ToMessage(options.Source),
            Replace = options.Replace,
            IncludeHidden = options.IncludeHidden,
        },
        MoveResponse.Parser,
        Call("Moving", from),
        watch);

    public override Task CreateFolderAsync(TransferName folder, IdleWatch watch) => AskAsync(
        "CreateFolder", new CreateFolderRequest { Name = folder.Value }, CreateFolderResponse.Parser, Call("Creating", folder), watch);

    private async Task<OpenedFile> OpenAsync(string method, IMessage message, ProtocolCall call, IdleWatch watch)
    {
        long started = Stopwatch.GetTimestamp();
        var exchange = new GrpcExchange(_setup, call, watch);
        GrpcBody? body = null;
        try
        {
            GrpcInput input = await SendAsync(exchange, method, message).ConfigureAwait(false);
            TimeSpan roundTrip = Stopwatch.GetElapsedTime(started);
            body = new GrpcBody(exchange, input);
            FileVersion file = await body.DescribeAsync().ConfigureAwait(false);
            return new OpenedFile
            {
                Response = input.Response,
                Body = body,
                Offset = file.Offset,
                Count = file.Count,
                Length = file.Length,
                Tag = file.Tag.Length > 0 ? new EntityTag(file.Tag) : null,
                Sha256 = file.HasSha256 ? GrpcMapping.ToDigest(file.Sha256) : null,
                Modified = TimeOf(file.Modified, call),
                HasHoles = file.HasHoles,
                IsExecutable = file.Executable,
                RoundTrip = roundTrip,
            };
        }
        catch (Exception exception)
        {
            if (body is not null)
            {
                await body.DisposeAsync().ConfigureAwait(false);
            }

            exchange.Dispose();
            if (exception is TransferException)
            {
                throw;
            }

            throw exchange.Translate(exception);
        }
    }

    private async Task<bool> DeleteAsync(DeleteRequest request, ProtocolCall call, IdleWatch watch)
    {
        try
        {
            DeleteResponse answer = await AskAsync("Delete", request, DeleteResponse.Parser, call, watch).ConfigureAwait(false);
            return answer.Deleted;
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return false;
        }
    }

    private static StoredFile ToFile(FileVersion file, TransferName name, ProtocolCall call) => file.Length >= 0
        ? new StoredFile(
            name,
            file.Length,
            TimeOf(file.Modified, call) ?? DateTimeOffset.UnixEpoch,
            new EntityTag(file.Tag),
            file.HasSha256 ? GrpcMapping.ToDigest(file.Sha256) : null)
        {
            IsExecutable = file.Executable,
        }
        : throw Failures.Protocol(call, "the response has no length of the file");

    private static FileTime? TimeOf(Timestamp? time, ProtocolCall call) => time is null ? null
        : GrpcMapping.ToTime(time) ?? throw Failures.Protocol(call, "a time in the response is invalid");

    private static ListingEntry ToEntry(ListEntry entry, ProtocolCall call) => new()
    {
        Name = entry.Name,
        Kind = entry.IsFolder ? "folder" : "file",
        Length = entry.File?.Length,
        Modified = TimeOf(entry.File?.Modified, call),
        Executable = entry.File?.Executable,
        Tag = entry.File is { Tag.Length: > 0 } file ? new EntityTag(file.Tag).ToString() : null,
        Sha256 = entry.File is { HasSha256: true } known ? GrpcMapping.ToDigest(known.Sha256).ToString() : null,
    };
}
