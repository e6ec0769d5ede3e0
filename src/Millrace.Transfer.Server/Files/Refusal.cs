namespace Millrace.Transfer.Server;

/// <summary>
/// Why a request was refused, for every protocol: the error that all of them share, and the additional
/// fields of HTTP or a resumable upload.
/// </summary>
internal sealed class Refusal(TransferError error, string message, string? name = null, Exception? innerException = null)
    : Exception(message, innerException)
{
    public TransferError Error { get; } = error;

    /// <summary>The file or folder; null or empty without one.</summary>
    public string? Name { get; } = name;

    /// <summary>The HTTP status; null for the usual one of <see cref="Error"/>.</summary>
    public int? Status { get; init; }

    /// <summary>A header field that the response must have, for example <c>Allow</c>; null without one.</summary>
    public string? Field { get; init; }

    public string? FieldValue { get; init; }

    /// <summary>WebDAV's name of a precondition that the request does not meet (RFC 4918, section 16); null without one.</summary>
    public string? DavCondition { get; init; }

    public TimeSpan? RetryAfter { get; init; }

    /// <summary>How many entries no listing shows, where that is the reason; null otherwise.</summary>
    public int? Omitted { get; init; }

    /// <summary>How many files that the server hides, where asking for them would help; null otherwise.</summary>
    public int? Hidden { get; init; }

    /// <summary>Bytes of the upload that the server has kept; null where that does not matter.</summary>
    public long? Offset { get; init; }

    /// <summary>Where the request would have continued the upload; null where that does not matter.</summary>
    public long? ProvidedOffset { get; init; }

    /// <summary>Whether the request contradicts the upload's length: the draft has a problem type for that.</summary>
    public bool ContradictsLength { get; init; }

    /// <summary>Whether the upload has all its bytes, so that the refusal is about the file and not about the upload.</summary>
    public bool IsUploadComplete { get; private set; }

    /// <summary>Marks the upload as complete.</summary>
    public Refusal AfterLastByte()
    {
        IsUploadComplete = true;
        return this;
    }

    /// <summary>Classifies an exception for every protocol.</summary>
    /// <returns>Null for a fault of the server, or the end of the connection.</returns>
    public static Refusal? Of(Exception exception) => exception switch
    {
        Refusal refusal => refusal,
        TransferException transfer => new(transfer.Error, transfer.Message, transfer.Name, transfer)
        {
            Offset = transfer.Offset,
            RetryAfter = transfer.RetryAfter,
            Status = transfer.Status,
            Omitted = transfer.Omitted,
            Hidden = transfer.Hidden,
        },
        FilePipeException file => Of(Errors.Translate(file)),
        _ when FindBrokenBody(exception) is { } broken => OfBrokenBody(broken, "Nothing was stored; send it again."),
        _ => null,
    };

    /// <summary>Kestrel's status for a body that it cannot read; null if the exception is about something else.</summary>
    public static BadHttpRequestException? FindBrokenBody(Exception exception) => exception switch
    {
        BadHttpRequestException broken => broken,

        // The size of a chunk from 2^31 on, which Kestrel does not report as it does all others.
        IOException { InnerException: OverflowException } => new BadHttpRequestException(exception.Message, exception),
        _ => null,
    };

    /// <summary>For a body that ended early, arrived too slowly or was framed wrongly, which Kestrel finds out.</summary>
    /// <param name="exception">Kestrel's exception.</param>
    /// <param name="consequence">The part of the body that the server kept.</param>
    /// <param name="offset">Bytes of the upload that are kept; null without an upload.</param>
    public static Refusal OfBrokenBody(BadHttpRequestException exception, string consequence, long? offset = null) => new(
        exception.StatusCode switch
        {
            StatusCodes.Status408RequestTimeout => TransferError.TooSlow,
            StatusCodes.Status413PayloadTooLarge => TransferError.TooLarge,
            _ => TransferError.InvalidRequest,
        },
        $"The request could not be read to its end: {exception.Message} {consequence}",
        innerException: exception)
    {
        Status = exception.StatusCode,
        Offset = offset,
    };
}
