using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>The draft: HEAD of an upload.</summary>
internal static class DraftStatus
{
    public static async Task AnswerAsync(UploadCall call, UploadId id)
    {
        (UploadStatus status, TransferPass pass) = await UploadLookup
            .EnterAsync(call, id, isTransfer: false)
            .ConfigureAwait(false);
        using TransferPass entered = pass;
        status = await UploadLookup.TakeOverAsync(call, id).ConfigureAwait(false);
        call.Response.StatusCode = StatusCodes.Status204NoContent;
        call.AddCommonFields();
        UploadAnswers.AddStatus(call, status);
        if (status.Length is { } length)
        {
            call.Response.Headers[TransferHeaders.UploadLength] = UploadCall.Text(length);
        }

        if (status.Published is { } file)
        {
            // Who did not get the last answer finds here what it said.
            UploadAnswers.AddFile(call, file);
        }
    }
}
