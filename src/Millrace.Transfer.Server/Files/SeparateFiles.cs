using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>
/// Files of a batch in a store whose files share nothing: each is stored as by a PUT, several at a time, because each may wait for a bucket
/// or a device.
/// </summary>
internal sealed class SeparateFiles(TransferPass pass) : BatchFiles
{
    /// <summary>Files that are stored at once.</summary>
    private const int MaxRunning = 16;

    /// <summary>Bytes of them that are in memory, if it is more than one file.</summary>
    private const long MaxRunningBytes = 4 * 1024 * 1024;

    private readonly List<(Task Task, BatchFile File)> _running = [];
    private long _bytes;

    public override async ValueTask WaitForRoomAsync(BatchFile file, CancellationToken cancellationToken)
    {
        while (_running.Count >= MaxRunning || (_running.Count > 0 && _bytes + file.Length > MaxRunningBytes)
            || _running.Exists(other => other.File.Name.IsIn(file.Name) || file.Name.IsIn(other.File.Name)))
        {
            await Task.WhenAny(_running.Select(static one => one.Task));
            int ended = _running.FindIndex(static one => one.Task.IsCompleted);
            (Task task, BatchFile done) = _running[ended];
            _running.RemoveAt(ended);
            _bytes -= done.Length;
            await task;
        }
    }

    public override ValueTask AddAsync(BatchFile file, byte[] content, BatchResultDocument result, CancellationToken cancellationToken)
    {
        _bytes += file.Length;
        _running.Add((StoreAsync(file, content, result, cancellationToken), file));
        return default;
    }

    public override ValueTask WaitAsync(Task reading, CancellationToken cancellationToken) => default;

    public override Task FinishAsync(CancellationToken cancellationToken) => Task.WhenAll(_running.Select(static one => one.Task));

    public override async ValueTask DisposeAsync() => await FinishAsync(default).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private async Task StoreAsync(BatchFile file, byte[] content, BatchResultDocument result, CancellationToken cancellationToken)
    {
        try
        {
            (StoredFile stored, bool isNew) = await StoreAsync(pass, file, content.AsMemory(0, (int)file.Length), cancellationToken);
            BatchUpload.Store(result, stored, isNew);
        }
        catch (Exception exception) when (Refusal.Of(exception) is { } refusal)
        {
            BatchUpload.Refuse(result, refusal);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(content);
        }
    }

    /// <summary>Stores a file as a PUT does.</summary>
    private static async ValueTask<(StoredFile File, bool IsNew)> StoreAsync(
        TransferPass pass, BatchFile file, ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        StoredFile? present = await pass.Store.FindAsync(file.Name, DigestNeed.IfKnown, cancellationToken);
        CreateFileOptions create = file.ToOptions(present);
        if (present is null && await pass.Store.FolderExistsAsync(file.Name, cancellationToken))
        {
            throw FileUpload.IsFolder(file.Name);
        }

        await using StoredFileWriter writer = await StoreConflict.AskAsync(pass.Store.CreateAsync(file.Name, create, cancellationToken), create.Precondition);
        await BodyCopy.WriteAsync(new ReadOnlySequence<byte>(content), writer.Output, cancellationToken);
        using TransferPass.Change change = await pass.BeginAsync(
            file.Name, present is null ? LockUse.Membership : LockUse.Content, cancellationToken);
        return (await StoreConflict.AskAsync(writer.CommitAsync(file.Sha256, cancellationToken), create.Precondition), present is null);
    }
}
