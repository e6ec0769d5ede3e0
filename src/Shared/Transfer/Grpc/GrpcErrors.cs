using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>Errors of the contract as statuses of gRPC, and back where the error itself is missing.</summary>
internal static class GrpcErrors
{
    public static GrpcStatus StatusOf(TransferError error) => error switch
    {
        TransferError.NotFound => GrpcStatus.NotFound,
        TransferError.InvalidName or TransferError.InvalidRequest => GrpcStatus.InvalidArgument,
        TransferError.AlreadyExists => GrpcStatus.AlreadyExists,
        TransferError.PreconditionFailed or TransferError.UploadComplete => GrpcStatus.FailedPrecondition,
        TransferError.RangeNotSatisfiable => GrpcStatus.OutOfRange,
        TransferError.DigestMismatch => GrpcStatus.DataLoss,
        TransferError.OffsetMismatch or TransferError.Superseded or TransferError.Changed => GrpcStatus.Aborted,
        TransferError.TooLarge or TransferError.NoSpace or TransferError.TooManyTransfers => GrpcStatus.ResourceExhausted,
        TransferError.Unauthorized => GrpcStatus.Unauthenticated,
        TransferError.Forbidden => GrpcStatus.PermissionDenied,
        TransferError.TooSlow or TransferError.Disconnected or TransferError.Unavailable => GrpcStatus.Unavailable,
        TransferError.ProtocolNotOffered => GrpcStatus.Unimplemented,
        _ => GrpcStatus.Internal,
    };

    /// <summary>The error for a status without an error name.</summary>
    public static TransferError ErrorOf(GrpcStatus status) => status switch
    {
        GrpcStatus.NotFound => TransferError.NotFound,
        GrpcStatus.InvalidArgument => TransferError.InvalidRequest,
        GrpcStatus.AlreadyExists => TransferError.AlreadyExists,
        GrpcStatus.FailedPrecondition => TransferError.PreconditionFailed,
        GrpcStatus.OutOfRange => TransferError.RangeNotSatisfiable,
        GrpcStatus.DataLoss => TransferError.DigestMismatch,
        GrpcStatus.Aborted => TransferError.Superseded,
        GrpcStatus.ResourceExhausted => TransferError.TooLarge,
        GrpcStatus.Unauthenticated => TransferError.Unauthorized,
        GrpcStatus.PermissionDenied => TransferError.Forbidden,
        GrpcStatus.Unavailable => TransferError.Disconnected,
        GrpcStatus.DeadlineExceeded => TransferError.TooSlow,
        GrpcStatus.Unimplemented => TransferError.ProtocolNotOffered,
        _ => TransferError.Failed,
    };

    /// <summary>The name as gRPC's documents write it, for example <c>NOT_FOUND</c>.</summary>
    public static string NameOf(GrpcStatus status) => Enum.IsDefined(status)
        ? JsonNamingPolicy.SnakeCaseUpper.ConvertName(status.ToString())
        : $"the status {(int)status}";
}
