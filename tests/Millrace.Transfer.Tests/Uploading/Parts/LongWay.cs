namespace Millrace.Transfer.Tests.Uploading.Parts;

/// <summary>A relay over which one connection is slow, and the server after it.</summary>
internal static class LongWay
{
    public const int Bytes = 30_000_000;

    public static readonly RelayPlan Plan = new() { Delay = TimeSpan.FromMilliseconds(25), Window = 64 * 1024 };

    /// <summary>Uploads that are not published, whole or not.</summary>
    public static IReadOnlyList<string> Unpublished(TestServer server) =>
        Directory.GetFiles(Path.Combine(server.Root, ".millrace", "uploads"), "data", SearchOption.AllDirectories);

    /// <summary>Waits until nothing is left; the client does not wait for every answer to abandoned requests.</summary>
    public static async Task NothingIsLeftAsync(TestServer server)
    {
        for (int i = 0; i < 600 && Unpublished(server).Count > 0; i++)
        {
            await Task.Delay(50);
        }

        Assert.Empty(Unpublished(server));
    }

    /// <summary>Does something once several connections bring bytes.</summary>
    public static Reports OnceDivided(TestRelay relay, Action then)
    {
        int done = 0;
        return new Reports(report =>
        {
            if (relay.MaxOpen >= 3 && report.Transferred > 1_000_000 && Interlocked.Exchange(ref done, 1) == 0)
            {
                then();
            }
        });
    }
}
