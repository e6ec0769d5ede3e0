using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What wires are called on the command line, in messages and in JSON.</summary>
internal static class ProtocolNames
{
    private static readonly (string Name, TransferProtocol Protocol)[] Protocols =
    [
        ("auto", TransferProtocol.Auto),
        ("http1", TransferProtocol.Http1),
        ("http2", TransferProtocol.Http2),
        ("grpc", TransferProtocol.Grpc),
        ("grpc-web", TransferProtocol.GrpcWeb),
        ("grpc-web-text", TransferProtocol.GrpcWebText),
        ("tus", TransferProtocol.Tus),
    ];

    /// <summary>Those that can be asked for.</summary>
    public static IReadOnlyList<string> All { get; } = [.. Protocols.Select(each => each.Name)];

    /// <summary>Those of gRPC.</summary>
    public static IReadOnlyList<string> Grpc { get; } = [.. Protocols.Where(each => IsGrpc(each.Protocol)).Select(each => each.Name)];

    /// <summary>The name of a protocol.</summary>
    public static string Of(TransferProtocol protocol) => Protocols.First(each => each.Protocol == protocol).Name;

    /// <summary>The protocol of a name; of another one, which the parser refuses but where a name is completed, the first.</summary>
    public static TransferProtocol Parse(string name) => Protocols.FirstOrDefault(each => each.Name == name).Protocol;

    /// <summary>Whether it carries messages of gRPC.</summary>
    public static bool IsGrpc(TransferProtocol protocol) =>
        protocol is TransferProtocol.Grpc or TransferProtocol.GrpcWeb or TransferProtocol.GrpcWebText;
}
