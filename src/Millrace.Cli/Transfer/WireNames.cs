using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What wires are called on the command line, in messages and in JSON.</summary>
internal static class WireNames
{
    private static readonly (string Name, TransferWire Wire)[] Wires =
    [
        ("auto", TransferWire.Auto),
        ("http1", TransferWire.Http1),
        ("http2", TransferWire.Http2),
        ("grpc", TransferWire.Grpc),
        ("grpc-web", TransferWire.GrpcWeb),
        ("grpc-web-text", TransferWire.GrpcWebText),
        ("tus", TransferWire.Tus),
    ];

    /// <summary>Those that can be asked for.</summary>
    public static IReadOnlyList<string> All { get; } = [.. Wires.Select(each => each.Name)];

    /// <summary>Those of gRPC.</summary>
    public static IReadOnlyList<string> Grpc { get; } = [.. Wires.Where(each => IsGrpc(each.Wire)).Select(each => each.Name)];

    /// <summary>The name of a wire.</summary>
    public static string Of(TransferWire wire) => Wires.First(each => each.Wire == wire).Name;

    /// <summary>The wire of a name.</summary>
    public static TransferWire Parse(string name) => Wires.First(each => each.Name == name).Wire;

    /// <summary>Whether it carries messages of gRPC.</summary>
    public static bool IsGrpc(TransferWire wire) =>
        wire is TransferWire.Grpc or TransferWire.GrpcWeb or TransferWire.GrpcWebText;
}
