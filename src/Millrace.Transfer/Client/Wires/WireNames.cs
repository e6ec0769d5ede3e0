namespace Millrace.Transfer;

/// <summary>The names of wires in descriptions and on the command line.</summary>
internal static class WireNames
{
    public static string Of(TransferWire wire) => wire switch
    {
        TransferWire.Http1 => "http1",
        TransferWire.Http2 => "http2",
        TransferWire.Tus => "tus",
        _ => "auto",
    };

    public static TransferWire? Parse(string name) => name switch
    {
        "http1" => TransferWire.Http1,
        "http2" => TransferWire.Http2,
        "tus" => TransferWire.Tus,
        _ => null,
    };
}
