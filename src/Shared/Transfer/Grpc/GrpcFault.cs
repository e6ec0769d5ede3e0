namespace Millrace.Transfer;

/// <summary>
/// Bytes that are not what gRPC or the messages' definition allows, or more of them than are taken. The status is the one
/// that gRPC's "Status codes and their use in gRPC" names for it.
/// </summary>
internal sealed class GrpcFault(GrpcStatus status, string message) : IOException(message)
{
    public GrpcStatus Status => status;
}
