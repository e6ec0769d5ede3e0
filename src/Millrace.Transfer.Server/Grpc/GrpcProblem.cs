using System.Globalization;
using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using Google.Rpc;

namespace Millrace.Transfer.Server;

/// <summary>How a call ended that did not succeed.</summary>
internal readonly record struct GrpcProblem(GrpcStatus Status, string Message)
{
    /// <summary>The error of the contract; null where gRPC itself was not as it should be.</summary>
    public TransferError? Error { get; init; }

    /// <summary>Bytes of the upload that are there; null where that is not the matter.</summary>
    public long? Offset { get; init; }

    /// <summary>When another try makes sense; null where that is not known.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>How many entries no listing shows, where that is why a folder was not deleted; null otherwise.</summary>
    public int? Omitted { get; init; }

    /// <summary>How many files that the server hides, where asking for them would help; null otherwise.</summary>
    public int? Hidden { get; init; }

    /// <summary>Whether it is a fault of the server, which the log reports.</summary>
    public bool IsUnexpected { get; init; }

    /// <summary>The HTTP status of a refusal that sets one; null otherwise.</summary>
    public int? OwnHttpStatus { get; init; }

    /// <summary>What HTTP would have answered; metrics and the log count calls by it.</summary>
    public int HttpStatus => OwnHttpStatus ?? (Error is { } error ? Problems.StatusOf(error) : Status switch
    {
        GrpcStatus.Internal or GrpcStatus.Unknown => StatusCodes.Status500InternalServerError,
        GrpcStatus.Unimplemented => StatusCodes.Status501NotImplemented,
        GrpcStatus.DeadlineExceeded => StatusCodes.Status504GatewayTimeout,
        GrpcStatus.Unavailable => StatusCodes.Status503ServiceUnavailable,
        _ => StatusCodes.Status400BadRequest,
    });

    public static GrpcProblem Of(Exception exception) => exception switch
    {
        _ when Refusal.Of(exception) is { } refusal => new(StatusOf(refusal), refusal.Message)
        {
            Error = refusal.Error,
            Offset = refusal.Offset,
            RetryAfter = refusal.RetryAfter,
            OwnHttpStatus = refusal.Status,
            Omitted = refusal.Omitted,
            Hidden = refusal.Hidden,
        },
        GrpcFault fault => new(fault.Status, fault.Message),
        InvalidProtocolBufferException => new(
            GrpcStatus.Internal, $"A message does not match its definition: {exception.Message}"),
        InvalidDataException => new(GrpcStatus.Internal, "A compressed message is not complete gzip."),
        OperationCanceledException => new(GrpcStatus.Cancelled, "The call was canceled."),
        _ => new(GrpcStatus.Internal, "The server failed at this; its log has the reason.") { IsUnexpected = true },
    };

    /// <summary>The problem as a google.rpc.Status, in base64 without padding.</summary>
    public string ToDetails()
    {
        var status = new Google.Rpc.Status { Code = (int)Status, Message = Message };
        if (Error is { } error)
        {
            var info = new ErrorInfo { Reason = JsonNamingPolicy.SnakeCaseUpper.ConvertName(ErrorCode.Of(error)), Domain = "millrace" };
            if (Offset is { } offset)
            {
                info.Metadata["offset"] = offset.ToString(CultureInfo.InvariantCulture);
            }

            if (Omitted is { } omitted)
            {
                info.Metadata["omitted"] = omitted.ToString(CultureInfo.InvariantCulture);
            }

            if (Hidden is { } hidden)
            {
                info.Metadata["hidden"] = hidden.ToString(CultureInfo.InvariantCulture);
            }

            status.Details.Add(Any.Pack(info));
        }

        if (RetryAfter is { } wait)
        {
            status.Details.Add(Any.Pack(new RetryInfo { RetryDelay = Duration.FromTimeSpan(wait) }));
        }

        return Convert.ToBase64String(status.ToByteArray()).TrimEnd('=');
    }

    /// <summary>The current state forbids it, and the request itself is valid: HTTP has 409 for that.</summary>
    private static GrpcStatus StatusOf(Refusal refusal) =>
        refusal is { Error: TransferError.InvalidRequest, Status: StatusCodes.Status409Conflict }
            ? GrpcStatus.FailedPrecondition
            : GrpcErrors.StatusOf(refusal.Error);
}
