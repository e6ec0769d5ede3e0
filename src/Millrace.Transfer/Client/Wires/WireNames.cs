namespace Millrace.Transfer;

/// <summary>The names of wires in descriptions and on the command line.</summary>
internal static class WireNames
{
    public static string Of(TransferWire wire) => wire switch
    {
        TransferWire.Http1 => "http1",
        TransferWire.Http2 => "http2",
        TransferWire.Tus => "tus",
        TransferWire.Grpc => "grpc",
        TransferWire.GrpcWeb => "grpc-web",
        TransferWire.GrpcWebText => "grpc-web-text",
        _ => "auto",
    };

    public static TransferWire? Parse(string name) => name switch
    {
        "http1" => TransferWire.Http1,
        "http2" => TransferWire.Http2,
        "tus" => TransferWire.Tus,
        "grpc" => TransferWire.Grpc,
        "grpc-web" => TransferWire.GrpcWeb,
        "grpc-web-text" => TransferWire.GrpcWebText,
        _ => null,
    };
}
