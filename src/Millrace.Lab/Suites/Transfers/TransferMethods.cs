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
        new(nameof(FileTransfers.Http1), TransferWire.Http1),
        new(nameof(FileTransfers.Http2), TransferWire.Http2),
        new(nameof(FileTransfers.Tus), TransferWire.Tus),
        new(nameof(FileTransfers.GrpcByteArray), TransferWire.Grpc, ChunkHandling.ByteArray),
        new(nameof(FileTransfers.GrpcRentedArray), TransferWire.Grpc, ChunkHandling.RentedArray),
        new(nameof(FileTransfers.GrpcDirect), TransferWire.Grpc),
        new(nameof(FileTransfers.GrpcWebByteArray), TransferWire.GrpcWeb, ChunkHandling.ByteArray),
        new(nameof(FileTransfers.GrpcWebRentedArray), TransferWire.GrpcWeb, ChunkHandling.RentedArray),
        new(nameof(FileTransfers.GrpcWebDirect), TransferWire.GrpcWeb),
        new(nameof(FileTransfers.GrpcWebTextByteArray), TransferWire.GrpcWebText, ChunkHandling.ByteArray),
        new(nameof(FileTransfers.GrpcWebTextRentedArray), TransferWire.GrpcWebText, ChunkHandling.RentedArray),
        new(nameof(FileTransfers.GrpcWebTextDirect), TransferWire.GrpcWebText),
        new(nameof(FileTransfers.GrpcCoreClient), TransferWire.Grpc, Core: CoreEnds.Client),
        new(nameof(FileTransfers.GrpcCoreServer), TransferWire.Grpc, Core: CoreEnds.Server),
        new(nameof(FileTransfers.GrpcCore), TransferWire.Grpc, Core: CoreEnds.Both),
        new(nameof(FileTransfers.HttpClientSha256), HasDigest: true),
        new(nameof(FileTransfers.Http1Sha256), TransferWire.Http1, HasDigest: true),
        new(nameof(FileTransfers.Http2Sha256), TransferWire.Http2, HasDigest: true),
        new(nameof(FileTransfers.TusSha256), TransferWire.Tus, HasDigest: true),
        new(nameof(FileTransfers.GrpcDirectSha256), TransferWire.Grpc, HasDigest: true),
    ];

    private static readonly Dictionary<string, TransferMethod> ByName = All.ToDictionary(method => method.Name);

    /// <summary>The row of a name.</summary>
    public static TransferMethod Find(string name) => ByName[name];
}
