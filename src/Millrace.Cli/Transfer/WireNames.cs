using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What wires are called on the command line, in messages and in JSON.</summary>
internal static class WireNames
{
    /// <summary>Those that can be asked for.</summary>
    public static IReadOnlyList<string> All { get; } = ["auto", "http1", "http2", "tus"];

    /// <summary>The name of a wire.</summary>
    public static string Of(TransferWire wire) => wire.ToString().ToLowerInvariant();

    /// <summary>The wire of a name.</summary>
    public static TransferWire Parse(string name) => Enum.Parse<TransferWire>(name, ignoreCase: true);
}
