using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>GET and HEAD of a file's list of blocks: the same version, conditions and ranges as of the file, another document.</summary>
internal sealed class BlockDownload(IFileStore store, TransferServerOptions options)
{
    /// <summary>The query that asks for it.</summary>
    public const string Query = "blocks";

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

        response.ContentType = BlockSums.MediaType;
        response.Headers.AcceptRanges = "bytes";
        response.Headers.XContentTypeOptions = "nosniff";
        if (!isGet)
        {
            response.ContentLength = BlockSums.CanList(file.Length) ? BlockSums.DocumentBytes(file.Length) : null;
            return;
        }

        BlockLists lists = context.RequestServices.GetRequiredService<BlockLists>();
        BlockSums sums = await lists.GetAsync(store, pass, file, aborted);
        ReadOnlyMemory<byte> document = sums.Document;
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
}
