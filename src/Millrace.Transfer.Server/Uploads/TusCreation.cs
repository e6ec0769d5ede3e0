using System.Security.Cryptography;
using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>tus: POST to the uploads. Begins one, takes its first bytes if there are any, or joins others.</summary>
internal static class TusCreation
{
    public static async Task CreateAsync(UploadCall call)
    {
        HttpRequest request = call.Request;
        string? concatField = request.Headers.TryGetValue(TransferHeaders.UploadConcat, out var values) ? values.ToString() : null;
        if (!TusConcat.TryParse(concatField, out TusConcat concat, out string why))
        {
            throw new TransferException(TransferError.InvalidRequest, $"Upload-Concat cannot be read: {why}.");
        }

        StartUploadOptions start = ReadOptions(request, concat);
        using TransferPass pass = await TransferGuard.Of(call.Context)
            .EnterAsync(call.Context, TransferScope.Write, start.Name, isTransfer: true)
            .ConfigureAwait(false);
        WritePrecondition precondition = start.Name.IsRoot
            ? default
            : await UploadLookup.ReadPreconditionAsync(call, start.Name).ConfigureAwait(false);
        start = start with { Owner = pass.Owner, Precondition = precondition };
        if (concat.Parts is { } parts)
        {
            await TusConcatenation.JoinAsync(call, pass, start, parts).ConfigureAwait(false);
            return;
        }

        if (call.HasBody)
        {
            TusAppend.ThrowUnlessMediaType(call);
        }

        using ContentCheck? check = ContentCheck.Read(request);
        UploadStatus status = await call.Store
            .StartUploadAsync(start, call.Context.RequestAborted)
            .ConfigureAwait(false);
        try
        {
            if (call.HasBody)
            {
                status = await UploadReceiver.ReceiveAsync(call, status, check, pass).ConfigureAwait(false);
            }

            if (status.HasAll && !status.IsPartial)
            {
                await UploadCompletion.CompleteAsync(call, status).ConfigureAwait(false);
            }
        }
        catch
        {
            // Its URL is only told when all went well: nobody could continue it.
            await call.Store.AbortUploadAsync(status.Id, CancellationToken.None).ConfigureAwait(false);
            throw;
        }

        Answer(call, status);
    }

    public static void Answer(UploadCall call, UploadStatus status)
    {
        call.Response.StatusCode = StatusCodes.Status201Created;
        call.Response.Headers.Location = call.UrlOf(status.Id);
        call.AddCommonFields();
        UploadAnswers.AddStatus(call, status);
        call.Response.ContentLength = 0;
    }

    /// <summary>Reads a length as tus has it: digits and nothing else.</summary>
    public static bool TryReadLength(string field, out long length) =>
        long.TryParse(field, NumberStyles.None, CultureInfo.InvariantCulture, out length);

    private static StartUploadOptions ReadOptions(HttpRequest request, TusConcat concat)
    {
        string field = request.Headers[TransferHeaders.UploadMetadata].ToString();
        if (!TusMetadata.TryParse(field, out TusMetadata metadata, out string why))
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"Upload-Metadata cannot be read: {why}. Send keys and values in base64, with a space between them and commas between the pairs.");
        }

        return new StartUploadOptions
        {
            Name = concat.IsPartial ? default : UploadNames.Choose(metadata),
            Length = ReadLength(request, concat),
            Metadata = field.Length == 0 ? null : field,
            Expected = UploadCompletion.ReadDigest(request) ?? ReadDigest(metadata),
        };
    }

    private static long? ReadLength(HttpRequest request, TusConcat concat)
    {
        string length = request.Headers[TransferHeaders.UploadLength].ToString();
        string defer = request.Headers[UploadHeaders.UploadDeferLength].ToString();
        if (concat.Parts is not null)
        {
            return length.Length == 0 && defer.Length == 0
                ? null
                : throw new TransferException(
                    TransferError.InvalidRequest,
                    "A joined upload is as long as its parts. Leave Upload-Length and Upload-Defer-Length out.");
        }

        if (defer.Length > 0)
        {
            return defer == "1" && length.Length == 0
                ? null
                : throw new TransferException(
                    TransferError.InvalidRequest,
                    "Upload-Defer-Length is 1, and stands instead of Upload-Length. Send one of the two.");
        }

        return TryReadLength(length, out long value)
            ? value
            : throw new TransferException(
                TransferError.InvalidRequest,
                length.Length == 0
                    ? "The upload has no length. Send Upload-Length, or Upload-Defer-Length: 1 when it is not known yet."
                    : "Upload-Length is not a number of bytes.");
    }

    private static Sha256Digest? ReadDigest(TusMetadata metadata)
    {
        if (!metadata.TryGet("sha256", out ReadOnlyMemory<byte> value) || value.IsEmpty)
        {
            return null;
        }

        if (value.Length == SHA256.HashSizeInBytes)
        {
            return new Sha256Digest(value.Span);
        }

        return Sha256Digest.TryParse(metadata.Text("sha256"), out Sha256Digest digest)
            ? digest
            : throw new TransferException(
                TransferError.InvalidRequest,
                "The value of 'sha256' in Upload-Metadata is neither 64 hexadecimal digits nor 32 bytes in base64.");
    }
}
