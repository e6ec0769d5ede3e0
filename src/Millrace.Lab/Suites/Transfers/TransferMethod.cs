using Millrace.Lab.GrpcCore;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <param name="Protocol">The protocol; null for methods written without Millrace's client.</param>
/// <param name="Array">The arrays of its messages, at both ends; none for Millrace.</param>
internal sealed record TransferMethod(
    string Name,
    TransferProtocol? Protocol = null,
    MessageArray Array = MessageArray.None,
    bool HasDigest = false,
    CoreEnds Core = CoreEnds.None)
{
    // The rows that modes, targets and findings name.
    public const string HttpClient = "HttpClient";
    public const string HttpClientSha256 = "HttpClientSha256";
    public const string Http1 = "Http1";
    public const string Http1Sha256 = "Http1Sha256";
    public const string Http2 = "Http2";
    public const string Tus = "Tus";
    public const string GrpcByteArray = "GrpcByteArray";
    public const string GrpcRentedArray = "GrpcRentedArray";
    public const string GrpcDirect = "GrpcDirect";
    public const string GrpcDirectSha256 = "GrpcDirectSha256";
    public const string GrpcWebDirect = "GrpcWebDirect";
    public const string GrpcWebTextDirect = "GrpcWebTextDirect";

    public static IReadOnlyList<TransferMethod> All { get; } =
    [
        new(HttpClient),
        new(Http1, TransferProtocol.Http1),
        new(Http2, TransferProtocol.Http2),
        new(Tus, TransferProtocol.Tus),
        new(GrpcByteArray, TransferProtocol.Grpc, MessageArray.New),
        new(GrpcRentedArray, TransferProtocol.Grpc, MessageArray.Rented),
        new(GrpcDirect, TransferProtocol.Grpc),
        new("GrpcWebByteArray", TransferProtocol.GrpcWeb, MessageArray.New),
        new("GrpcWebRentedArray", TransferProtocol.GrpcWeb, MessageArray.Rented),
        new(GrpcWebDirect, TransferProtocol.GrpcWeb),
        new("GrpcWebTextByteArray", TransferProtocol.GrpcWebText, MessageArray.New),
        new("GrpcWebTextRentedArray", TransferProtocol.GrpcWebText, MessageArray.Rented),
        new(GrpcWebTextDirect, TransferProtocol.GrpcWebText),
        new("GrpcCoreClient", TransferProtocol.Grpc, Core: CoreEnds.Client),
        new("GrpcCoreServer", TransferProtocol.Grpc, Core: CoreEnds.Server),
        new("GrpcCore", TransferProtocol.Grpc, Core: CoreEnds.Both),
        new(HttpClientSha256, HasDigest: true),
        new(Http1Sha256, TransferProtocol.Http1, HasDigest: true),
        new("Http2Sha256", TransferProtocol.Http2, HasDigest: true),
        new("TusSha256", TransferProtocol.Tus, HasDigest: true),
        new(GrpcDirectSha256, TransferProtocol.Grpc, HasDigest: true),
        new(Floor.Sockets),
    ];

    private static readonly Dictionary<string, TransferMethod> ByName = All.ToDictionary(method => method.Name);

    /// <summary>Whether it is written without Millrace's client and server.</summary>
    public bool IsPlain => Protocol is null;

    /// <summary>Whether it makes the necessary system calls and nothing else.</summary>
    public bool IsRaw => Name == Floor.Sockets;

    public bool HasCompression => !HasDigest && !IsRaw
        && Protocol is null or TransferProtocol.Grpc or TransferProtocol.GrpcWeb or TransferProtocol.GrpcWebText;

    public static TransferMethod Find(string name) => ByName[name];

    /// <remarks>tus only takes files: the client's downloads over it are downloads over HTTP/1.1.</remarks>
    public bool Moves(TransferDirection direction) => direction == TransferDirection.Upload || Protocol != TransferProtocol.Tus;
}
