using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Answers what was refused: as every endpoint does, and as tus and the draft want it besides.</summary>
internal static class UploadProblems
{
    /// <summary>tus, extension Checksum: the bytes are not what was said of them.</summary>
    public const int ChecksumMismatch = 460;

    private const string MismatchingOffset = "https://iana.org/assignments/http-problem-types#mismatching-upload-offset";
    private const string CompletedUpload = "https://iana.org/assignments/http-problem-types#completed-upload";
    private const string InconsistentLength = "https://iana.org/assignments/http-problem-types#inconsistent-upload-length";

    /// <summary>Runs an endpoint and answers what it throws.</summary>
    public static async Task RunAsync(UploadCall call, Func<UploadCall, Task> endpoint)
    {
        try
        {
            await endpoint(call).ConfigureAwait(false);
        }
        catch (TransferException exception)
        {
            await AnswerAsync(call, exception).ConfigureAwait(false);
        }
        catch (FilePipeException exception)
        {
            await AnswerAsync(call, Problems.Translate(exception)).ConfigureAwait(false);
        }
        catch (Exception exception) when (
            exception is OperationCanceledException or IOException && call.Context.RequestAborted.IsCancellationRequested)
        {
            // The client is gone. What it sent is kept, and nobody is there to be told.
            call.Context.Abort();
        }
    }

    private static async Task AnswerAsync(UploadCall call, TransferException exception)
    {
        HttpResponse response = call.Response;
        if (response.HasStarted)
        {
            call.Context.Abort();
            return;
        }

        (int status, string type) = Classify(call, exception);
        response.Clear();
        call.AddCommonFields();
        response.StatusCode = status;
        response.ContentType = ErrorDocument.MediaType;
        AddFields(call, exception);
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(
            new ErrorDocument
            {
                Type = type,
                Title = exception.Error.ToString(),
                Status = status,
                Detail = exception.Message,
                Error = exception.Error.ToString(),
                Name = exception.Name,
                ExpectedOffset = exception.Error == TransferError.OffsetMismatch ? exception.Offset : null,
                ProvidedOffset = exception.Error == TransferError.OffsetMismatch ? call.ProvidedOffset : null,
            },
            TransferJson.Default.ErrorDocument);
        response.ContentLength = body.Length;
        if (!HttpMethods.IsHead(call.Request.Method))
        {
            await response.Body.WriteAsync(body, call.Context.RequestAborted).ConfigureAwait(false);
        }
    }

    private static (int Status, string Type) Classify(UploadCall call, TransferException exception)
    {
        const string None = "about:blank";
        if (call.RefusalStatus is { } status)
        {
            return (status, None);
        }

        if (exception.Error == TransferError.OffsetMismatch)
        {
            return (StatusCodes.Status409Conflict, MismatchingOffset);
        }

        if (call.LengthContradicts && !call.IsTus)
        {
            return (StatusCodes.Status400BadRequest, InconsistentLength);
        }

        if (exception.Error == TransferError.UploadComplete && !call.IsTus)
        {
            return (StatusCodes.Status400BadRequest, CompletedUpload);
        }

        return (Problems.StatusOf(exception.Error), None);
    }

    private static void AddFields(UploadCall call, TransferException exception)
    {
        IHeaderDictionary headers = call.Response.Headers;
        if (exception.Offset is { } offset)
        {
            headers[TransferHeaders.UploadOffset] = UploadCall.Text(offset);
        }

        if (exception.RetryAfter is { } wait)
        {
            headers[HeaderNames.RetryAfter] = Math.Ceiling(wait.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        }

        switch (exception.Error)
        {
            case TransferError.Unauthorized:
                headers[HeaderNames.WWWAuthenticate] = "Bearer";
                break;
            case TransferError.TakenOver:
                // The rest of this body is of no use to anybody.
                headers.Connection = "close";
                break;
            case TransferError.TooLarge when call.Store.MaxFileBytes is { } most:
                headers[UploadHeaders.TusMaxSize] = UploadCall.Text(most);
                headers[UploadHeaders.UploadLimit] = $"max-size={most}";
                break;
        }

        if (!call.IsTus && call.HasAll)
        {
            headers[TransferHeaders.UploadComplete] = UploadHeaders.True;
        }
    }
}
