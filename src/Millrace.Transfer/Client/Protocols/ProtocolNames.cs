namespace Millrace.Transfer;

/// <summary>The names of wires in descriptions and on the command line.</summary>
internal static class ProtocolNames
{
    public static string Of(TransferProtocol protocol) => protocol switch
    {
        TransferProtocol.Http1 => "http1",
        TransferProtocol.Http2 => "http2",
        TransferProtocol.Tus => "tus",
        TransferProtocol.Grpc => "grpc",
        TransferProtocol.GrpcWeb => "grpc-web",
        TransferProtocol.GrpcWebText => "grpc-web-text",
        _ => "auto",
    };

    public static TransferProtocol? Parse(string name) => name switch
    {
        "http1" => TransferProtocol.Http1,
        "http2" => TransferProtocol.Http2,
        "tus" => TransferProtocol.Tus,
        "grpc" => TransferProtocol.Grpc,
        "grpc-web" => TransferProtocol.GrpcWeb,
        "grpc-web-text" => TransferProtocol.GrpcWebText,
        _ => null,
    };
}
