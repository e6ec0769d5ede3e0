using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <param name="Protocol">The protocol; null for methods written without Millrace's client.</param>
/// <param name="IsHttp2">For a method written without Millrace's client: over HTTP/2.</param>
/// <param name="Peers">Others' libraries of gRPC, one at each end; null for a row without.</param>
internal sealed record TransferMethod(
    string Name,
    TransferProtocol? Protocol = null,
    GrpcPeers? Peers = null,
    bool HasDigest = false,
    bool IsHttp2 = false)
{
    // The rows that modes, targets and findings name.
    public const string HttpClient = "HttpClient";
    public const string HttpClientHttp2 = "HttpClientHttp2";
    public const string HttpClientSha256 = "HttpClientSha256";
    public const string Http1 = "Http1";
    public const string Http1Sha256 = "Http1Sha256";
    public const string Http2 = "Http2";
    public const string Tus = "Tus";
    public const string GrpcNetByteArray = "GrpcNetByteArray";
    public const string GrpcNetRentedArray = "GrpcNetRentedArray";
    public const string GrpcCoreRentedArray = "GrpcCoreRentedArray";
    public const string GrpcDirect = "GrpcDirect";
    public const string GrpcDirectSha256 = "GrpcDirectSha256";
    public const string GrpcWebDirect = "GrpcWebDirect";
    public const string GrpcWebTextDirect = "GrpcWebTextDirect";

    public static IReadOnlyList<TransferMethod> All { get; } =
    [
        new(HttpClient),
        new(HttpClientHttp2, IsHttp2: true),
        new(Http1, TransferProtocol.Http1),
        new(Http2, TransferProtocol.Http2),
        new(Tus, TransferProtocol.Tus),
        new(GrpcDirect, TransferProtocol.Grpc),
        new(GrpcNetByteArray, Peers: new(GrpcLibrary.Net, GrpcLibrary.Net, IsRented: false)),
        new(GrpcNetRentedArray, Peers: new(GrpcLibrary.Net, GrpcLibrary.Net, IsRented: true)),
        new(GrpcWebDirect, TransferProtocol.GrpcWeb),
        new("GrpcNetWebByteArray", Peers: new(GrpcLibrary.Web, GrpcLibrary.Web, IsRented: false)),
        new("GrpcNetWebRentedArray", Peers: new(GrpcLibrary.Web, GrpcLibrary.Web, IsRented: true)),
        new(GrpcWebTextDirect, TransferProtocol.GrpcWebText),
        new("GrpcNetWebTextByteArray", Peers: new(GrpcLibrary.WebText, GrpcLibrary.WebText, IsRented: false)),
        new("GrpcNetWebTextRentedArray", Peers: new(GrpcLibrary.WebText, GrpcLibrary.WebText, IsRented: true)),
        new("GrpcCoreByteArray", Peers: new(GrpcLibrary.Core, GrpcLibrary.Core, IsRented: false)),
        new(GrpcCoreRentedArray, Peers: new(GrpcLibrary.Core, GrpcLibrary.Core, IsRented: true)),
        new("GrpcCoreChannel", Peers: new(GrpcLibrary.Core, GrpcLibrary.Net, IsRented: true)),
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

    /// <remarks>
    /// tus only takes files: the client's downloads over it are downloads over HTTP/1.1. Grpc.Net.Client.Web cannot stream a request in browsers,
    /// so there are only downloads over it.
    /// </remarks>
    public bool Moves(TransferDirection direction) => direction == TransferDirection.Upload
        ? Peers?.Client is not (GrpcLibrary.Web or GrpcLibrary.WebText)
        : Protocol != TransferProtocol.Tus;
}
