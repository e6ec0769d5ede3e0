using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>The names of protocols in descriptions, on the command line, in messages and in JSON: <c>http1</c>, <c>grpc-web-text</c>.</summary>
internal static class ProtocolNames
{
    public static IReadOnlyList<string> All { get; } = [.. Enum.GetValues<TransferProtocol>().Select(Of)];

    public static IReadOnlyList<string> Grpc { get; } = [.. Enum.GetValues<TransferProtocol>().Where(IsGrpc).Select(Of)];

    public static string Of(TransferProtocol protocol) => JsonNamingPolicy.KebabCaseLower.ConvertName(protocol.ToString());

    /// <returns>Null for another name.</returns>
    public static TransferProtocol? Parse(string? name)
    {
        foreach (TransferProtocol protocol in Enum.GetValues<TransferProtocol>())
        {
            if (Of(protocol) == name)
            {
                return protocol;
            }
        }

        return null;
    }

    public static bool IsGrpc(TransferProtocol protocol) =>
        protocol is TransferProtocol.Grpc or TransferProtocol.GrpcWeb or TransferProtocol.GrpcWebText;
}
