using System.Globalization;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>One HTTP request to an upload, by tus or the draft: its fields, and those of its response.</summary>
internal sealed class UploadCall
{
    private const string ProblemTypes = "https://iana.org/assignments/http-problem-types#";

    public UploadCall(HttpContext context, IFileStore store, TransferServerOptions options, string uploadsPath, bool isTus)
    {
        Context = context;
        Store = store;
        Options = options;
        UploadsPath = uploadsPath;
        IsTus = isTus;
        // Makes Problems answer refusals by the rules of the protocol.
        context.Features.Set(this);
    }

    public HttpContext Context { get; }

    public HttpRequest Request => Context.Request;

    public HttpResponse Response => Context.Response;

    /// <summary>The store; once the request is admitted, as the caller may use it.</summary>
    public IFileStore Store { get; private set; }

    public TransferServerOptions Options { get; }

    /// <summary>Path at which uploads have their own URLs, without a trailing slash.</summary>
    public string UploadsPath { get; }

    /// <summary>Whether the request is tus 1.0; otherwise it is the IETF draft "Resumable Uploads for HTTP".</summary>
    public bool IsTus { get; }

    public CancellationToken Aborted => Context.RequestAborted;

    /// <summary>By the draft: whether the response is about the file, and not about an upload that can be continued.</summary>
    public bool IsAboutFile { get; set; }

    /// <summary>Whether the request has a body, according to its fields.</summary>
    public bool HasBody => Request.ContentLength is > 0 || (Request.ContentLength is null
        && Context.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody == true);

    /// <summary>Whether the body is a delta.</summary>
    public bool IsDelta => Request.Headers.ContainsKey(TransferHeaders.UploadDeltaBase);

    /// <summary>Whether that delta has no references: it reveals nothing of a version.</summary>
    private bool IsOfNothing => Field(TransferHeaders.UploadDeltaBase) == DeltaFormat.OfNothing;

    private TransferOperation Operation => IsDelta && !IsOfNothing ? TransferOperation.UploadDelta : TransferOperation.Upload;

    /// <summary>Whether the body is in a coding.</summary>
    public static bool HasCoding(HttpRequest request) =>
        request.Headers.ContentEncoding.ToString() is { Length: > 0 } coding && !coding.Equals("identity", StringComparison.OrdinalIgnoreCase);

    public static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    public string Field(string name) => Request.Headers[name].ToString();

    /// <summary>The URL of an upload, as a path.</summary>
    public string UrlOf(UploadId id) => $"{Request.PathBase.ToUriComponent()}{UploadsPath}/{id}";

    /// <summary>The URL of a file, as a path.</summary>
    public string UrlOf(TransferName name) =>
        $"{Request.PathBase.ToUriComponent()}{Options.FilesPath.TrimEnd('/')}/{name.ToEncoded()}";

    public async ValueTask<TransferPass> EnterAsync(TransferName name)
    {
        TransferPass pass = await TransferGuard.Of(Context).EnterAsync(Context, Store, Operation, name);
        Store = pass.Store;
        return pass;
    }

    public ValueTask<UploadSession> StartAsync(StartUploadOptions options, TransferPass pass) =>
        UploadSession.StartAsync(Context, options, pass, Aborted);

    public async ValueTask<UploadSession> OpenAsync(UploadId id, bool isTransfer)
    {
        UploadSession session = await UploadSession.OpenAsync(Context, Store, id, isTransfer ? Operation : TransferOperation.ManageUpload, Aborted);
        Store = session.Store;
        return session;
    }

    /// <summary>The digest that the request gives for the whole file, after its body also as a trailer; null for none.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.InvalidRequest"/>; <see cref="TransferError.DigestMismatch"/>: header and trailer differ.
    /// </exception>
    public Sha256Digest? ReadDigest()
    {
        Sha256Digest? header = ReadDigest(Request.Headers[TransferHeaders.ReprDigest]);
        Sha256Digest? trailer = ReadDigest(DigestTrailers.Read(Request, TransferHeaders.ReprDigest));
        return header is null || trailer is null || header == trailer
            ? header ?? trailer
            : throw new TransferException(
                TransferError.DigestMismatch, "Repr-Digest differs between the header and the trailer. Send that of the whole file.");
    }

    /// <summary>The condition on the name of a new upload; checked now, and again when it is published.</summary>
    /// <exception cref="TransferException">The condition is not met, or a field cannot be read.</exception>
    public async ValueTask<WritePrecondition> ReadPreconditionAsync(TransferName name)
    {
        IHeaderDictionary headers = Request.Headers;
        if (headers.IfNoneMatch.Count == 0 && headers.IfMatch.Count == 0 && headers.IfUnmodifiedSince.Count == 0)
        {
            return default;
        }

        StoredFile? present = await Store.FindAsync(name, DigestNeed.IfKnown, Aborted);
        return WriteConditions.Read(Request, name, present);
    }

    /// <summary>Appends the request's body, if it has one, up to its end or the connection's.</summary>
    /// <param name="session">The upload.</param>
    /// <param name="check">Compares the body with its checksum; null if the request has none.</param>
    public async ValueTask ReceiveAsync(UploadSession session, ContentCheck? check)
    {
        UploadStatus status = session.Status;
        if (!HasBody || status.IsComplete)
        {
            await ThrowIfBodyHasBytesAsync(status);
            check?.ThrowIfDifferent(Request, status.Offset);
            return;
        }

        await using StoredFileReader? old = await OpenDeltaBaseAsync(status);
        await session.AppendAsync(check is not null, async writer =>
        {
            long room = writer.RemainingBytes;
            if (!IsDelta && Request.ContentLength > room)
            {
                throw TooMuch(status, room);
            }

            // Of a request with a checksum nothing is saved before its end.
            UploadProgress? progress = !IsTus && check is null && InterimResponse.IsWanted(Request) ? new UploadProgress(this, writer) : null;
            try
            {
                DeltaWriter? delta = IsDelta ? new DeltaWriter(old, writer, room, writer.Superseded) : null;
                PipeWriter output = delta ?? writer.Output;
                PipeWriter destination = check is null ? output : new CheckedPipeWriter(output, check);
                // Not canceled by the end of the connection: reading finds that, after the bytes that arrived before it.
                await BodyCopy.ReceiveAsync(
                    Request.BodyReader, destination, delta is null ? room : long.MaxValue, writer.Superseded, progress);
                if (delta is not null)
                {
                    await delta.FinishAsync(writer.Superseded);
                }
            }
            catch (TransferException exception) when (exception.Error == TransferError.TooLarge)
            {
                throw TooMuch(status, room);
            }
            finally
            {
                await (progress?.EndAsync() ?? default);
            }

            check?.ThrowIfDifferent(Request, status.Offset);
            return true;
        });
    }

    /// <summary>Publishes the upload and describes the file in the response.</summary>
    /// <returns>Whether the name was free before, as far as known.</returns>
    public async ValueTask<bool> CompleteAsync(UploadSession session)
    {
        try
        {
            Sha256Digest? expected = ReadDigest();
            bool isNew = session.Status.Published is null
                && await Store.FindAsync(session.Status.Name, DigestNeed.IfKnown, Aborted) is null;
            AddFile(await session.CompleteAsync(expected));
            return isNew;
        }
        catch (Exception exception) when (Refusal.Of(exception) is { } refusal)
        {
            throw refusal.AfterLastByte();
        }
    }

    /// <summary>Adds the fields that all responses have, refusals included.</summary>
    public void AddCommonFields()
    {
        Response.Headers.CacheControl = CacheControlHeaderValue.NoStoreString;
        if (IsTus)
        {
            Response.Headers[TransferHeaders.TusResumable] = UploadHeaders.Version;
        }
        else if (DraftRequest.TryReadVersion(Request, out long version) && DraftRequest.IsSupported(version))
        {
            Response.Headers[TransferHeaders.UploadDraftInteropVersion] = Text(version);
        }
    }

    /// <summary>Adds the upload's offset and, by the draft, its completeness and limits.</summary>
    public void AddStatus(UploadStatus status)
    {
        AddCommonFields();
        IHeaderDictionary headers = Response.Headers;
        headers[TransferHeaders.UploadOffset] = Text(status.Offset);
        if (IsTus)
        {
            headers[TransferHeaders.UploadExpires] = status.Expires.UtcDateTime.ToString("R", CultureInfo.InvariantCulture);
            return;
        }

        AddCompleteness(status.Published is not null);
        headers[UploadHeaders.UploadLimit] = LimitOf(status);
    }

    /// <summary>The value of <c>Upload-Limit</c> for an upload.</summary>
    public string LimitOf(UploadStatus status)
    {
        long seconds = Math.Max(0, (long)(status.Expires - Options.TimeProvider.GetUtcNow()).TotalSeconds);
        string age = DraftRequest.HasExpires(Request) ? "expires" : "max-age";
        return $"{SizesOf(Store, Options)}{age}={seconds}";
    }

    /// <summary>The members of <c>Upload-Limit</c> about sizes, each with a comma after it; empty without limits.</summary>
    public static string SizesOf(IFileStore store, TransferServerOptions options) =>
        (store.MaxFileBytes is { } max ? $"max-size={max}, " : "")
        + (options.MaxRequestBytes is { } request ? $"max-append-size={request}, " : "");

    /// <summary>Adds the published file: its version, its digest, its URL.</summary>
    public void AddFile(StoredFile file)
    {
        IHeaderDictionary headers = Response.Headers;
        headers.ETag = file.Tag.ToString();
        headers.ContentLocation = UrlOf(file.Name);
        if (file.Sha256 is { } digest)
        {
            headers[TransferHeaders.ReprDigest] = DigestField.Format(digest);
        }
    }

    /// <summary>The status of a refusal, and the type of its problem document.</summary>
    public (int Status, string Type) Classify(Refusal refusal) => refusal switch
    {
        { Error: TransferError.OffsetMismatch } => (StatusCodes.Status409Conflict, ProblemTypes + "mismatching-upload-offset"),
        { ContradictsLength: true } when !IsTus => (StatusCodes.Status400BadRequest, ProblemTypes + "inconsistent-upload-length"),
        { Error: TransferError.UploadComplete } when !IsTus => (StatusCodes.Status400BadRequest, ProblemTypes + "completed-upload"),
        _ => (refusal.Status ?? Problems.StatusOf(refusal.Error), "about:blank"),
    };

    public void AddRefusalFields(Refusal refusal)
    {
        AddCommonFields();
        IHeaderDictionary headers = Response.Headers;
        if (refusal.Offset is { } offset)
        {
            headers[TransferHeaders.UploadOffset] = Text(offset);
        }

        if (refusal.Error == TransferError.Superseded)
        {
            // The rest of this body is of no use.
            headers.Connection = "close";
        }
        else if (refusal.Error == TransferError.TooLarge && Store.MaxFileBytes is { } max)
        {
            headers[UploadHeaders.TusMaxSize] = Text(max);
            headers[UploadHeaders.UploadLimit] = SizesOf(Store, Options)[..^2];
        }

        if (!IsTus)
        {
            AddCompleteness(refusal.IsUploadComplete || (IsAboutFile && !refusal.ContradictsLength));
        }
    }

    /// <summary>A coding belongs to the file (RFC 9110, section 8.4), and the store keeps the file without one.</summary>
    /// <exception cref="Refusal">415: the body is in a coding.</exception>
    public void ThrowIfCoded()
    {
        if (HasCoding(Request))
        {
            throw new Refusal(
                TransferError.InvalidRequest,
                $"Content-Encoding: {NameEncoding.Printable(Request.Headers.ContentEncoding.ToString())} is not decoded in parts of a file. "
                + "Send the file as it is, or all of it in gzip or br with one PUT.")
            {
                Status = StatusCodes.Status415UnsupportedMediaType,
                Field = HeaderNames.AcceptEncoding,
                FieldValue = "identity",
            };
        }
    }

    /// <summary>The version that the body is a delta of; null if it is none, or of none.</summary>
    private async ValueTask<StoredFileReader?> OpenDeltaBaseAsync(UploadStatus status)
    {
        if (!IsDelta)
        {
            return null;
        }

        DeltaWriter.ThrowIfUnlimited(status);
        if (IsOfNothing)
        {
            return null;
        }

        return EntityTagHeaderValue.TryParse(Field(TransferHeaders.UploadDeltaBase), out EntityTagHeaderValue? tag) && !tag.IsWeak && tag.Tag.Length > 2
            ? await DeltaWriter.OpenAsync(Store, status.Name, tag.Tag.ToString()[1..^1], Aborted)
            : throw Errors.Invalid($"{TransferHeaders.UploadDeltaBase} is not a strong entity tag. Send that of the list of blocks, with quotes, or none without them.");
    }

    private void AddCompleteness(bool isComplete)
    {
        bool isOpposite = DraftRequest.HasIncomplete(Request);
        Response.Headers[isOpposite ? UploadHeaders.Incomplete : TransferHeaders.UploadComplete] =
            isComplete != isOpposite ? UploadHeaders.True : UploadHeaders.False;
    }

    private static Sha256Digest? ReadDigest(StringValues field)
    {
        Sha256Digest? digest = null;
        return field.Count == 0 || DigestField.TryParse(field.ToString(), out digest) ? digest : throw Errors.Invalid(
            "Repr-Digest cannot be read. Send sha-256=:BASE64:, or leave it out.");
    }

    private async ValueTask ThrowIfBodyHasBytesAsync(UploadStatus status)
    {
        if (HasBody)
        {
            ReadResult result = await BodyCopy.ReadAsync(Request.BodyReader, Aborted);
            bool hasBytes = !result.Buffer.IsEmpty;
            Request.BodyReader.AdvanceTo(result.Buffer.End);
            if (hasBytes)
            {
                throw TooMuch(status, 0);
            }
        }
    }

    private static Refusal TooMuch(UploadStatus status, long room) => status.Length is { } length
        ? new Refusal(
            TransferError.TooLarge,
            $"Upload {status.Id} has a length of {length} bytes; {status.Offset} were received, and this request sends more "
            + $"than the {length - status.Offset} that are missing. Start a new upload with the right length.")
        {
            ContradictsLength = true,
        }
        : new Refusal(
            TransferError.TooLarge,
            $"Upload {status.Id} has {status.Offset} bytes, and this server accepts files of up to {status.Offset + room} bytes. Send less.");
}
