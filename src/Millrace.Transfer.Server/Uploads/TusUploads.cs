using System.Globalization;

namespace Millrace.Transfer.Server;

/// <summary>tus 1.0: POST to the uploads, and HEAD and PATCH of an upload.</summary>
internal static class TusUploads
{
    /// <summary>Starts an upload, receives its first bytes if the request has any, or joins others.</summary>
    public static async Task CreateAsync(UploadCall call)
    {
        string? concatField = call.Request.Headers.TryGetValue(TransferHeaders.UploadConcat, out var values) ? values.ToString() : null;
        TusConcat concat = TusConcat.Parse(concatField);

        StartUploadOptions start = ReadOptions(call, concat);
        IFileStore store = call.Store;
        using TransferPass pass = await call.EnterAsync(start.Name);
        if (concat.Parts is { } parts)
        {
            await JoinAsync(call, store, start, parts, pass);
            return;
        }

        if (!start.Name.IsRoot)
        {
            start = start with { Precondition = await call.ReadPreconditionAsync(start.Name), IsPreconditionChecked = true };
        }

        call.ThrowIfCoded();
        if (call.HasBody)
        {
            ThrowUnlessMediaType(call);
        }

        using ContentCheck? check = ContentCheck.Read(call.Request);
        await using UploadSession session = await call.StartAsync(start, pass);
        try
        {
            await call.ReceiveAsync(session, check);
            await CompleteIfDueAsync(call, session);
        }
        catch
        {
            // The client learns the upload's URL only from the response: it could not be continued.
            await session.DeleteAsync(CancellationToken.None);
            throw;
        }

        AnswerCreated(call, session.Status);
    }

    /// <summary>Joins parts, unless the same request has done so, or does so now: its client may have waited in vain.</summary>
    private static async Task JoinAsync(
        UploadCall call, IFileStore store, StartUploadOptions start, IReadOnlyList<UploadId> parts, TransferPass pass)
    {
        if (call.HasBody)
        {
            throw Errors.Invalid("A joined upload has the bytes of its parts and takes no others. Send no body.");
        }

        using (ContentCheck? check = ContentCheck.Read(call.Request))
        {
            check?.ThrowIfDifferent(call.Request, offset: 0);
        }

        IHeaderDictionary headers = call.Request.Headers;
        var joins = call.Context.RequestServices.GetRequiredService<RunningJoins>();
        var key = RunningJoins.KeyOf(
            store,
            [
                pass.Owner, headers.IfMatch, start.Modified?.ToString(), start.IsExecutable?.ToString(), headers.IfNoneMatch, headers.IfUnmodifiedSince, start.Metadata, start.Expected?.ToString(),
                .. parts.Select(static part => part.Value),
            ]);
        UploadStatus? status = await joins.FindAsync(
            key, joined => UploadSession.IsThereAsync(joined, pass.Store, call.Aborted), call.Aborted);
        if (status is null)
        {
            // After a join that is done this would refuse the file that it has published.
            StartUploadOptions checkedStart = start with
            {
                Precondition = await call.ReadPreconditionAsync(start.Name),
                IsPreconditionChecked = true,
            };
            var meter = call.Context.RequestServices.GetRequiredService<TransferMeter>();
            status = await joins.RunAsync(
                key, ended => UploadSession.JoinAsync(meter, checkedStart, parts, pass, ended), call.Aborted);
        }

        call.AddFile(status.Published!);
        AnswerCreated(call, status);
    }

    private static void AnswerCreated(UploadCall call, UploadStatus status)
    {
        call.Response.StatusCode = StatusCodes.Status201Created;
        call.Response.Headers.Location = call.UrlOf(status.Id);
        call.Response.ContentLength = 0;
        call.AddStatus(status);
    }

    /// <summary>PATCH of an upload.</summary>
    public static async Task AppendAsync(UploadCall call, UploadId id)
    {
        await using UploadSession session = await call.OpenAsync(id, isTransfer: true);
        call.ThrowIfCoded();
        ThrowUnlessMediaType(call);
        if (!TryReadLength(call.Field(TransferHeaders.UploadOffset), out long offset))
        {
            throw Errors.Invalid("Upload-Offset is missing or not a number of bytes. Ask for it with HEAD.");
        }

        if (session.Status.Parts is not null)
        {
            throw new TransferException(
                TransferError.Forbidden, $"Upload {id} was joined from others and accepts no bytes.");
        }

        string field = call.Field(TransferHeaders.UploadLength);
        long? length = field.Length == 0 ? null : TryReadLength(field, out long value) ? value : throw Errors.Invalid(
            "Upload-Length is not a number of bytes.");
        using ContentCheck? check = ContentCheck.Read(call.Request);
        await session.TakeOverAtAsync(offset);
        if (length is not null)
        {
            await session.SetLengthAsync(length.Value, call.Aborted);
        }

        await call.ReceiveAsync(session, check);
        await CompleteIfDueAsync(call, session);
        call.Response.StatusCode = StatusCodes.Status204NoContent;
        call.AddStatus(session.Status);
    }

    /// <summary>Adds the server's capabilities to a response to OPTIONS.</summary>
    public static void AddCapabilities(HttpResponse response, IFileStore store)
    {
        IHeaderDictionary headers = response.Headers;
        headers[TransferHeaders.TusResumable] = UploadHeaders.Version;
        headers[UploadHeaders.TusVersion] = UploadHeaders.Version;
        headers[UploadHeaders.TusExtension] = UploadHeaders.Extensions;
        headers[UploadHeaders.TusChecksumAlgorithm] = TusChecksum.Algorithms;
        if (store.MaxFileBytes is { } max)
        {
            headers[UploadHeaders.TusMaxSize] = UploadCall.Text(max);
        }
    }

    /// <summary>Whether an upload is to be published: in tus the last byte completes it.</summary>
    public static bool IsDue(UploadStatus status) => status is { IsComplete: true, IsPartial: false };

    private static async ValueTask CompleteIfDueAsync(UploadCall call, UploadSession session)
    {
        if (IsDue(session.Status))
        {
            await call.CompleteAsync(session);
        }
    }

    /// <exception cref="Refusal"><see cref="TransferError.InvalidRequest"/>, answered 415.</exception>
    private static void ThrowUnlessMediaType(UploadCall call)
    {
        if (!string.Equals(call.Request.ContentType, UploadHeaders.TusMediaType, StringComparison.OrdinalIgnoreCase))
        {
            throw new Refusal(
                TransferError.InvalidRequest, $"tus sends bytes of a file as Content-Type: {UploadHeaders.TusMediaType}.")
            {
                Status = StatusCodes.Status415UnsupportedMediaType,
            };
        }
    }

    /// <summary>Adds the metadata given when the upload was started.</summary>
    public static void AddStart(UploadCall call, UploadStatus status)
    {
        IHeaderDictionary headers = call.Response.Headers;
        if (status.Length is null)
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

    /// <summary>Reads a length as tus writes it: digits and nothing else.</summary>
    private static bool TryReadLength(string field, out long length) =>
        long.TryParse(field, NumberStyles.None, CultureInfo.InvariantCulture, out length);

    private static StartUploadOptions ReadOptions(UploadCall call, TusConcat concat)
    {
        string field = call.Field(TransferHeaders.UploadMetadata);
        TusMetadata metadata = TusMetadata.Parse(field);
        return new StartUploadOptions
        {
            Name = concat.IsPartial ? default : UploadNames.Choose(metadata, call.Store.Names),
            Length = ReadLength(call, concat),
            Metadata = field.Length == 0 ? null : field,
            Expected = call.ReadDigest() ?? ReadDigest(metadata),
            Modified = GivenTime.Read(call.Context, metadata),
            IsExecutable = GivenExecutable.Read(call.Context, metadata),
        };
    }

    private static long? ReadLength(UploadCall call, TusConcat concat)
    {
        string length = call.Field(TransferHeaders.UploadLength);
        string defer = call.Field(UploadHeaders.UploadDeferLength);
        if (concat.Parts is not null)
        {
            return length.Length == 0 && defer.Length == 0
                ? null
                : throw Errors.Invalid(
                    "A joined upload is as long as its parts. Leave Upload-Length and Upload-Defer-Length out.");
        }

        if (defer.Length > 0)
        {
            return defer == "1" && length.Length == 0
                ? null
                : throw Errors.Invalid(
                    "Upload-Defer-Length is 1, and stands instead of Upload-Length. Send one of the two.");
        }

        return TryReadLength(length, out long value)
            ? value
            : throw Errors.Invalid(
                length.Length == 0
                    ? "The upload has no length. Send Upload-Length, or Upload-Defer-Length: 1 when it is not known yet."
                    : "Upload-Length is not a number of bytes.");
    }

    private static Sha256Digest? ReadDigest(TusMetadata metadata)
    {
        if (!metadata.TryGet("sha256", out ReadOnlyMemory<byte> value))
        {
            return null;
        }

        if (value.Length == SHA256.HashSizeInBytes)
        {
            return new Sha256Digest(value.Span);
        }

        return Sha256Digest.TryParse(metadata.Text("sha256"), out Sha256Digest digest)
            ? digest
            : throw Errors.Invalid(
                "The value of 'sha256' in Upload-Metadata is neither 64 hexadecimal digits nor 32 bytes in base64.");
    }
}
