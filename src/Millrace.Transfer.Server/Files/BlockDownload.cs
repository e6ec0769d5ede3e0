using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>GET and HEAD of the list of a file's blocks, or of its extents: the version and conditions of the file, another document.</summary>
internal sealed class BlockDownload(IFileStore store, TransferServerOptions options)
{
    /// <summary>The query that asks for the extents.</summary>
    public const string Extents = "extents";

    private const string Blocks = "blocks";

    public static bool IsAsked(HttpRequest request) => request.Query.ContainsKey(Blocks) || request.Query.ContainsKey(Extents);

    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        bool isGet = HttpMethods.IsGet(context.Request.Method);
        CancellationToken aborted = context.RequestAborted;
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, isGet ? TransferOperation.Download : TransferOperation.Stat, target.Name);
        StoredFile file = await pass.Store.FindAsync(target.Name, DigestNeed.IfKnown, aborted) ?? throw Errors.NoFile(target.Name);
        IHeaderDictionary asked = context.Request.Headers;
        ReadConditions.Outcome outcome = ReadConditions.Evaluate(asked, file, options.TimeProvider.GetUtcNow());
        if (outcome == ReadConditions.Outcome.Failed)
        {
            throw new TransferException(
                TransferError.PreconditionFailed,
                $"'{file.Name}' has the version {file.Tag}, which is not the one that was asked for. Ask again without the condition.",
                file.Name.Value);
        }

        HttpResponse response = context.Response;
        response.Headers.ETag = file.Tag.ToString();
        response.Headers.CacheControl = "no-cache";
        if (outcome == ReadConditions.Outcome.NotModified)
        {
            response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        bool isExtents = context.Request.Query.ContainsKey(Extents);
        response.ContentType = isExtents ? ExtentList.MediaType : BlockSums.MediaType;
        response.Headers.AcceptRanges = "bytes";
        response.Headers.XContentTypeOptions = "nosniff";
        if (!isGet)
        {
            response.ContentLength = !isExtents && BlockSums.CanList(file.Length) ? BlockSums.DocumentBytes(file.Length) : null;
            return;
        }

        ReadOnlyMemory<byte> document = isExtents
            ? await FindExtentsAsync(pass.Store, file, aborted)
            : (await context.RequestServices.GetRequiredService<BlockLists>().GetAsync(store, pass, file, aborted)).Document;
        StringValues range = asked.Range;
        if (ReadConditions.AllowRange(asked, file)
            && RangeSelection.TrySelect(range, document.Length, out IReadOnlyList<ByteRange> ranges)
            && ranges.Count <= 1)
        {
            if (ranges.Count == 0)
            {
                throw RangeSelection.NotSatisfiable(range, file with { Length = document.Length });
            }

            response.StatusCode = StatusCodes.Status206PartialContent;
            response.Headers.ContentRange = RangeSelection.ContentRange(ranges[0], document.Length);
            document = document.Slice((int)ranges[0].Offset, (int)ranges[0].Length);
        }

        response.ContentLength = document.Length;
        ResponseWriter.ThrowIfGone(await response.BodyWriter.WriteAsync(document, aborted));
    }

    /// <summary>The list of a version's extents, as it is sent.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Changed"/>: it has another version now.</exception>
    public static async ValueTask<byte[]> FindExtentsAsync(IFileStore store, StoredFile file, CancellationToken cancellationToken)
    {
        await using StoredFileReader reader = await store.OpenReadAsync(file.Name, DigestNeed.IfKnown, cancellationToken);
        return reader.File.Tag != file.Tag
            ? throw Errors.Changed(file.Name)
            : await Task.Run(() => reader.FindExtents().ToDocument(), cancellationToken);
    }
}
