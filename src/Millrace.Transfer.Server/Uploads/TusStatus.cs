using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>tus: HEAD of an upload.</summary>
internal static class TusStatus
{
    public static async Task AnswerAsync(UploadCall call, UploadId id)
    {
        (UploadStatus status, TransferPass pass) = await UploadLookup
            .EnterAsync(call, id, isTransfer: false)
            .ConfigureAwait(false);
        using TransferPass entered = pass;
        status = await UploadLookup.TakeOverAsync(call, id).ConfigureAwait(false);
        if (status.Published is { } file)
        {
            UploadAnswers.AddFile(call, file);
        }
        else if (status.HasAll && !status.IsPartial)
        {
            // A tus client takes an offset that is the length for success. So it has to be one: publishing failed, or
            // was cut short, when the last byte came.
            await UploadCompletion.CompleteAsync(call, status).ConfigureAwait(false);
        }

        call.Response.StatusCode = StatusCodes.Status200OK;
        call.AddCommonFields();
        UploadAnswers.AddStatus(call, status);
        AddStart(call, status);
        if (!HttpMethods.IsHead(call.Request.Method))
        {
            call.Response.ContentLength = 0;
        }
    }

    /// <summary>What was said when it was begun.</summary>
    private static void AddStart(UploadCall call, UploadStatus status)
    {
        IHeaderDictionary headers = call.Response.Headers;
        if (status.Length is { } length)
        {
            headers[TransferHeaders.UploadLength] = length.ToString(CultureInfo.InvariantCulture);
        }
        else
        {
            headers[UploadHeaders.UploadDeferLength] = "1";
        }

        if (status.Metadata is { } metadata)
        {
            headers[TransferHeaders.UploadMetadata] = metadata;
        }

        if (status.Parts is { } parts)
        {
            headers[TransferHeaders.UploadConcat] = "final;" + string.Join(' ', parts.Select(call.UrlOf));
        }
        else if (status.IsPartial)
        {
            headers[TransferHeaders.UploadConcat] = "partial";
        }
    }
}
