namespace Millrace.Transfer.Tests.Syncing;

/// <summary>Locks of folders on servers that do not answer.</summary>
public sealed class SyncLockTests
{
    [Fact]
    public async Task The_end_does_not_wait_for_a_line_that_has_stalled()
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(async context =>
        {
            if (context.Request.Method == "LOCK")
            {
                context.Response.Headers["Lock-Token"] = "<urn:uuid:1>";
                return;
            }

            await Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default);
        });
        var clock = new PassingClock(SyncLock.UnlockTimeout, static () => { });
        var options = new TransferClientOptions();
        using var client = new TransferClient(
            server.Files, new HttpClient(TransferConnections.Create(options)) { Timeout = Timeout.InfiniteTimeSpan }, options, ownsClient: true, clock);
        SyncLock? taken = await SyncLock.TakeAsync(SyncFolder.OnServer(client, Clients.Name("f")), "a test");

        await taken!.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromMinutes(1));

        Assert.Equal(1, clock.Waits);
    }
}
