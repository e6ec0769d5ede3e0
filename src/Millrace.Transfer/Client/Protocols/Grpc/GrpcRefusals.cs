using System.Globalization;
using System.Net;

namespace Millrace.Transfer;

/// <summary>A call's status as the exception that HTTP's responses become too.</summary>
internal static class GrpcRefusals
{
    /// <summary>Describes a status other than OK.</summary>
    public static TransferException Make(
        GrpcStatus status, Func<string, string?> field, ProtocolCall call, HttpStatusCode httpStatus)
    {
        bool told = ErrorCode.TryParse(field(GrpcFields.Error), out TransferError error);
        if (!told)
        {
            error = GrpcErrors.ErrorOf(status);
        }

        string? detail = field(GrpcFields.Message) is { Length: > 0 } message ? GrpcText.Decode(message) : null;
        return new TransferException(
            error,
            $"{call.Verb} '{call.Name}' over {ProtocolNames.Of(call.Protocol)}: the server answered {GrpcErrors.NameOf(status)}. {detail ?? Advice(status)}",
            call.Name)
        {
            Reason = detail ?? $"The server answered {GrpcErrors.NameOf(status)}. {Advice(status)}",
            Status = (int)httpStatus,
            Protocol = call.Protocol,
            Offset = Fields.Number(field(GrpcFields.Offset)),
            Omitted = (int?)Fields.Number(field(GrpcFields.Omitted)),
            Hidden = (int?)Fields.Number(field(GrpcFields.Hidden)),
            RetryAfter = RetryAfterOf(field(GrpcFields.RetryAfter)),
            IsForeign = !told && httpStatus != HttpStatusCode.OK,

            // A server of Millrace fails for the moment as over HTTP with 500; of others only UNAVAILABLE means that.
            IsTransient = Failures.IsTransient(
                error, otherwise: status == GrpcStatus.Unavailable || (told && status == GrpcStatus.Internal)),
        };
    }

    /// <summary>The gRPC status for a plain HTTP status: gRPC's "HTTP to gRPC Status Code Mapping".</summary>
    public static GrpcStatus StatusOf(HttpStatusCode status) => (int)status switch
    {
        400 => GrpcStatus.Internal,
        401 => GrpcStatus.Unauthenticated,
        403 => GrpcStatus.PermissionDenied,
        404 => GrpcStatus.Unimplemented,
        429 or 502 or 503 or 504 => GrpcStatus.Unavailable,
        _ => GrpcStatus.Unknown,
    };

    private static TimeSpan? RetryAfterOf(string? text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds)
        && seconds <= TimeSpan.MaxValue.TotalSeconds / 2
            ? TimeSpan.FromSeconds(seconds)
            : null;

    private static string Advice(GrpcStatus status) => status switch
    {
        GrpcStatus.Unauthenticated => "Use a valid token.",
        GrpcStatus.PermissionDenied => "The token does not allow it; ask for one that does.",
        GrpcStatus.NotFound => "Check the name.",
        GrpcStatus.Unimplemented => "The server does not support this; use another protocol.",
        GrpcStatus.FailedPrecondition => "Check the current file, then decide.",
        GrpcStatus.DeadlineExceeded => "Give it more time.",
        _ => "It gave no reason.",
    };
}
