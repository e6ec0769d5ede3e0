using Millrace.Lab.GrpcCore;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The rows of the suite.</summary>
internal static class TransferMethods
{
    /// <summary>All of them, in the order of tables.</summary>
    public static IReadOnlyList<TransferMethod> All { get; } =
    [
        new(nameof(FileTransfers.HttpClient)),
        new(nameof(FileTransfers.Http1), TransferProtocol.Http1),
        new(nameof(FileTransfers.Http2), TransferProtocol.Http2),
        new(nameof(FileTransfers.Tus), TransferProtocol.Tus),
        new(nameof(FileTransfers.GrpcByteArray), TransferProtocol.Grpc, MessageArray.New),
        new(nameof(FileTransfers.GrpcRentedArray), TransferProtocol.Grpc, MessageArray.Rented),
        new(nameof(FileTransfers.GrpcDirect), TransferProtocol.Grpc),
        new(nameof(FileTransfers.GrpcWebByteArray), TransferProtocol.GrpcWeb, MessageArray.New),
        new(nameof(FileTransfers.GrpcWebRentedArray), TransferProtocol.GrpcWeb, MessageArray.Rented),
        new(nameof(FileTransfers.GrpcWebDirect), TransferProtocol.GrpcWeb),
        new(nameof(FileTransfers.GrpcWebTextByteArray), TransferProtocol.GrpcWebText, MessageArray.New),
        new(nameof(FileTransfers.GrpcWebTextRentedArray), TransferProtocol.GrpcWebText, MessageArray.Rented),
        new(nameof(FileTransfers.GrpcWebTextDirect), TransferProtocol.GrpcWebText),
        new(nameof(FileTransfers.GrpcCoreClient), TransferProtocol.Grpc, Core: CoreEnds.Client),
        new(nameof(FileTransfers.GrpcCoreServer), TransferProtocol.Grpc, Core: CoreEnds.Server),
        new(nameof(FileTransfers.GrpcCore), TransferProtocol.Grpc, Core: CoreEnds.Both),
        new(nameof(FileTransfers.HttpClientSha256), HasDigest: true),
        new(nameof(FileTransfers.Http1Sha256), TransferProtocol.Http1, HasDigest: true),
        new(nameof(FileTransfers.Http2Sha256), TransferProtocol.Http2, HasDigest: true),
        new(nameof(FileTransfers.TusSha256), TransferProtocol.Tus, HasDigest: true),
        new(nameof(FileTransfers.GrpcDirectSha256), TransferProtocol.Grpc, HasDigest: true),
    ];

    private static readonly Dictionary<string, TransferMethod> ByName = All.ToDictionary(method => method.Name);

    /// <summary>The row of a name.</summary>
    public static TransferMethod Find(string name) => ByName[name];
}
