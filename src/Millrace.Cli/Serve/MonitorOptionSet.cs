using System.CommandLine;
using System.Globalization;
using System.Net;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` for monitoring: an access log and metrics.</summary>
internal sealed class MonitorOptionSet
{
    private readonly Option<string?> _accessLog = new("--access-log")
    {
        Description = "Append a line per request to this file, in the combined format of Apache and nginx.",
        HelpName = "FILE",
    };

    private readonly Option<IPEndPoint?> _metrics = ParsedOption.Create<IPEndPoint?>(
        "--metrics", "[ADDRESS:]PORT", "Offer metrics as OpenMetrics text at /metrics on this port of 127.0.0.1, or of ADDRESS.", ParseEndPoint);

    private readonly Option<string?> _metricsToken = new("--metrics-token-file")
    {
        Description = "Require the token on the first line of this file for metrics (Authorization: Bearer).",
        HelpName = "FILE",
    };

    public void AddTo(Command command)
    {
        command.Add(_accessLog, _metrics, _metricsToken);
        command.Validators.Add(result =>
        {
            bool hasToken = result.GetResult(_metricsToken) is { Implicit: false };
            if (hasToken && result.GetResult(_metrics) is not { Implicit: false })
            {
                result.AddError("--metrics-token-file is about metrics; name their port with --metrics.");
            }

            if (!hasToken && result.GetResult(_metrics) is { Implicit: false, Tokens: [{ Value: var text }] }
                && ParseEndPoint(text, out IPEndPoint? address) is null && !IPAddress.IsLoopback(address!.Address))
            {
                result.AddError($"--metrics: {address} is reached from other machines; require a token with --metrics-token-file, or name a port only.");
            }
        });
    }

    /// <returns>Where metrics are offered, and the token for them; null without.</returns>
    /// <exception cref="TransferException">The file of the token cannot be read.</exception>
    public MetricsSettings? Read(ParseResult parsed, TransferHostOptions options)
    {
        options.AccessLogPath = parsed.GetValue(_accessLog);
        return parsed.GetValue(_metrics) is not { } address ? null
            : new MetricsSettings(address, parsed.GetValue(_metricsToken) is { } file ? TokenSource.FromFile("--metrics-token-file", file) : null);
    }

    private static string? ParseEndPoint(string text, out IPEndPoint? address)
    {
        address = ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort port) ? new IPEndPoint(IPAddress.Loopback, port)
            : text.StartsWith("*:", StringComparison.Ordinal) && ushort.TryParse(text.AsSpan(2), NumberStyles.None, CultureInfo.InvariantCulture, out port)
                ? new IPEndPoint(IPAddress.IPv6Any, port)
            : text.Contains(':', StringComparison.Ordinal) && !IPAddress.TryParse(text, out _) && IPEndPoint.TryParse(text, out IPEndPoint? named) ? named
            : null;
        return address is not null ? null : $"'{text}' is not a valid address; use a port, as in 9464, or an address with one, as in 10.0.0.7:9464, [::1]:9464 or *:9464.";
    }
}

/// <summary>Where metrics are offered.</summary>
/// <param name="Address">Port 0 takes a free one.</param>
/// <param name="Token">What requests have to bring; null for nothing.</param>
internal sealed record MetricsSettings(IPEndPoint Address, string? Token);
