using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>Finds names below a folder, or counts its content: lines of JSON, each sent when it is known.</summary>
internal static class FolderWalks
{
    public const string SearchQuery = "search";
    public const string UsageQuery = "usage";

    public static bool IsFor(IQueryCollection query) => query.ContainsKey(SearchQuery) || query.ContainsKey(UsageQuery);

    public static Task AnswerAsync(HttpContext context, IFileStore store, TransferName folder) =>
        context.Request.Query.ContainsKey(SearchQuery) ? SearchAsync(context, store, folder) : MeasureAsync(context, store, folder);

    /// <summary>The results as pages of a listing; the last one has no continuation.</summary>
    public static async IAsyncEnumerable<(FilePage Page, bool IsLast)> FoundAsync(
        HttpContext context, IFileStore store, TransferName folder)
    {
        await foreach (FoundNames found in FindAsync(context, store, folder))
        {
            if (found.IsComplete || found.Entries.Count > 0)
            {
                yield return (
                    new FilePage(found.Entries, default) { Omitted = new OmittedEntries { Others = found.IsComplete ? found.Omitted : 0 } },
                    found.IsComplete);
            }
        }
    }

    private static async Task SearchAsync(HttpContext context, IFileStore store, TransferName folder)
    {
        await using var lines = new Lines(context);
        await foreach (FoundNames found in FindAsync(context, store, folder))
        {
            foreach (FileEntry entry in found.Entries)
            {
                FolderListing.Write(lines.Json, entry);
                lines.End();
            }

            lines.Json.WriteStartObject();
            lines.Json.WriteNumber("searched"u8, found.Searched);
            if (found.HasMore)
            {
                lines.Json.WriteBoolean("more"u8, true);
            }

            await lines.SendAsync(found.IsComplete, found.Omitted);
        }
    }

    private static async Task MeasureAsync(HttpContext context, IFileStore store, TransferName folder)
    {
        await using var lines = new Lines(context);
        FolderUsage usage = new(0, 0, 0);
        long sentAt = Stopwatch.GetTimestamp();
        await foreach (FolderUsage step in TransferGuard.Of(context).Limits.StepAsync(
            store.MeasureAsync(folder, context.RequestAborted), context.RequestAborted))
        {
            usage = step;
            if (Stopwatch.GetElapsedTime(sentAt) >= FoundNames.Interval)
            {
                await SendAsync(isComplete: false);
                sentAt = Stopwatch.GetTimestamp();
            }
        }

        await SendAsync(isComplete: true);

        ValueTask SendAsync(bool isComplete)
        {
            lines.Json.WriteStartObject();
            lines.Json.WriteNumber("files"u8, usage.Files);
            lines.Json.WriteNumber("folders"u8, usage.Folders);
            lines.Json.WriteNumber("bytes"u8, usage.Bytes);
            return lines.SendAsync(isComplete, usage.Omitted);
        }
    }

    private static IAsyncEnumerable<FoundNames> FindAsync(HttpContext context, IFileStore store, TransferName folder)
    {
        IQueryCollection query = context.Request.Query;
        int limit = query["limit"] is not { Count: > 0 } text ? 0
            : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int most) && most > 0 ? most
            : -1;
        return FoundNames.FindAsync(
            TransferGuard.Of(context), store, folder, query[SearchQuery].ToString(), FoundNames.CheckLimit(limit, folder),
            context.RequestAborted);
    }

    /// <summary>The response: it begins with the first lines that are sent, so that a refusal before them has its status.</summary>
    private sealed class Lines : IAsyncDisposable
    {
        private readonly HttpContext _context;
        private readonly ArrayBufferWriter<byte> _text = new();

        public Lines(HttpContext context)
        {
            _context = context;
            Json = new Utf8JsonWriter(_text, new JsonWriterOptions { SkipValidation = true });
        }

        public Utf8JsonWriter Json { get; }

        public void End()
        {
            Json.Flush();
            Json.Reset();
            _text.Write("\n"u8);
        }

        /// <summary>Ends the object that is being written and sends all lines.</summary>
        public async ValueTask SendAsync(bool isComplete, int omitted)
        {
            if (isComplete)
            {
                Json.WriteBoolean("complete"u8, true);
                if (omitted > 0)
                {
                    Json.WriteNumber("omitted"u8, omitted);
                }
            }

            Json.WriteEndObject();
            End();
            HttpResponse response = _context.Response;
            if (!response.HasStarted)
            {
                response.ContentType = "application/jsonl";
                response.Headers.CacheControl = "no-store";
                response.Headers.XContentTypeOptions = "nosniff";
            }

            if (HttpMethods.IsGet(_context.Request.Method))
            {
                await response.Body.WriteAsync(_text.WrittenMemory, _context.RequestAborted);
                await response.Body.FlushAsync(_context.RequestAborted);
            }

            _text.ResetWrittenCount();
        }

        public ValueTask DisposeAsync() => Json.DisposeAsync();
    }
}
