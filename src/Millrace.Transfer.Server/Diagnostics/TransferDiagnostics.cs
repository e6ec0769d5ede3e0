using System.Diagnostics;

namespace Millrace.Transfer.Server;

/// <summary>Names under which a server is observed; docs/serve.md lists their metrics and events.</summary>
public static class TransferDiagnostics
{
    /// <summary>Name of the <see cref="System.Diagnostics.Metrics.Meter"/>, of the <see cref="ActivitySource"/>, and category of the log.</summary>
    public static string Name => "Millrace.Transfer";

    internal static ActivitySource Activities { get; } = new(Name);
}
