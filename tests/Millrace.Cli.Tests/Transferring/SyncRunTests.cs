using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>How a sync moves its files.</summary>
public sealed class SyncRunTests
{
    [Fact]
    public void Only_files_that_come_from_or_go_to_a_server_are_many_at_once()
    {
        using var client = new TransferClient(new Uri("http://127.0.0.1:1/files/"));
        var here = new Side("here", SyncFolder.Here(Path.GetTempPath()), null, null);
        var there = new Side("there", SyncFolder.OnServer(client, TransferName.Parse("f")), null, client);

        Assert.Null(SyncRun.SmallAtOnce(here, here));
        Assert.Equal(FileTurns.Most, SyncRun.SmallAtOnce(there, here)!());
        Assert.Equal(client.SmallFilesAtOnce, SyncRun.SmallAtOnce(here, there)!());
    }
}
