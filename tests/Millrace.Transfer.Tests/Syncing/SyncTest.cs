namespace Millrace.Transfer.Tests.Syncing;

/// <summary>A test of folders that become the same: two on this machine, and f on the server.</summary>
public abstract class SyncTest : ServerTest, IDisposable
{
    internal TemporaryFolder Here { get; } = new();

    internal TemporaryFolder There { get; } = new();

    public void Dispose()
    {
        Here.Dispose();
        There.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <param name="client">A client of the server.</param>
    /// <param name="direction">"up" to the server, "down" from it, or "copy" to the other folder.</param>
    /// <param name="options">The options of the sync.</param>
    /// <param name="here">The folder, if it is not <see cref="Here"/>.</param>
    internal FolderSync Sync(TransferClient client, string direction, SyncOptions options, string? here = null)
    {
        SyncFolder local = SyncFolder.Here(here ?? Here.Path);
        SyncFolder remote = SyncFolder.OnServer(client, Clients.Name("f"));
        return direction switch
        {
            "up" => new FolderSync(local, remote, options),
            "down" => new FolderSync(remote, local, options),
            _ => new FolderSync(local, SyncFolder.Here(There.Path), options),
        };
    }

    /// <summary>Reports on the thread that moves the files.</summary>
    internal sealed class Direct(Action<(SyncStep Step, Exception? Error)> report) : IProgress<(SyncStep Step, Exception? Error)>
    {
        public void Report((SyncStep Step, Exception? Error) value) => report(value);
    }
}
