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

    public static TransferName Name(string text) => TransferName.Parse(text);
}
