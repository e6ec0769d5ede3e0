using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>Runs a theory over each protocol of a client, and over each further value if there are some.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryProtocolAttribute(ProtocolSet protocols = ProtocolSet.All, params object[] with) : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod)
    {
        TransferProtocol[] selected = protocols switch
        {
            ProtocolSet.Http => [TransferProtocol.Http1, TransferProtocol.Tus],
            ProtocolSet.Grpc => [TransferProtocol.Grpc, TransferProtocol.GrpcWeb, TransferProtocol.GrpcWebText],
            ProtocolSet.AllAndHttp2 => [.. Enum.GetValues<TransferProtocol>().Except([TransferProtocol.Auto])],
            ProtocolSet.Downloads => [TransferProtocol.Http1, TransferProtocol.Grpc, TransferProtocol.GrpcWeb, TransferProtocol.GrpcWebText],
            _ => [TransferProtocol.Http1, TransferProtocol.Tus, TransferProtocol.Grpc, TransferProtocol.GrpcWeb, TransferProtocol.GrpcWebText],
        };
        return with.Length == 0
            ? selected.Select(protocol => new object[] { protocol })
            : selected.SelectMany(_ => with, (protocol, value) => new[] { protocol, value });
    }
}

public enum ProtocolSet
{
    All,
    AllAndHttp2,

    /// <summary>The draft and tus.</summary>
    Http,
    Grpc,

    /// <summary>All but tus, which downloads as HTTP does.</summary>
    Downloads,
}
