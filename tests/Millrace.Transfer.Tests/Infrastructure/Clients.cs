namespace Millrace.Transfer.Tests.Infrastructure;

internal static class Clients
{
    /// <summary>A client whose waits are short and whose patience is long, as tests with many faults want it.</summary>
    public static TransferClient To(Uri files, Action<TransferClientOptions>? change = null)
    {
        var options = new TransferClientOptions
        {
            FirstDelay = TimeSpan.FromMilliseconds(2),
            MaxDelay = TimeSpan.FromMilliseconds(200),
        };
        change?.Invoke(options);
        return new TransferClient(files, options);
    }

    /// <summary>A client whose clock stands still: whatever it measures is near and fast, however busy the machine is.</summary>
    public static TransferClient WithoutTime(Uri files, TransferProtocol protocol)
    {
        var options = new TransferClientOptions { Protocol = protocol };
        var client = new HttpClient(TransferConnections.Create(options)) { Timeout = Timeout.InfiniteTimeSpan };
        return new TransferClient(files, client, options, ownsClient: true, new ManualClock());
    }

    /// <summary>A client that remembers its uploads in a folder, as one of another process would find them.</summary>
    /// <remarks>One connection, unless it is about parts: on a busy machine loopback is a long way, and uploads are divided.</remarks>
    public static TransferClient Resuming(
        Uri files, TemporaryFolder folder, TransferProtocol protocol = TransferProtocol.Auto, int attempts = 10, int connections = 1,
        bool verify = true)
    {
        var options = new TransferClientOptions
        {
            Protocol = protocol,
            MaxAttempts = attempts,
            FirstDelay = TimeSpan.FromMilliseconds(2),
            MaxConnections = connections,
            VerifyDigests = verify,
        };
        var client = new HttpClient(TransferConnections.Create(options)) { Timeout = Timeout.InfiniteTimeSpan };
        return new TransferClient(files, client, options, ownsClient: true, TimeProvider.System) { RecordFolder = folder["records"] };
    }

    public static TransferName Name(string text) => TransferName.Parse(text);
}
