using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>Files of a batch in a folder of this machine, which share their waits for the device.</summary>
internal sealed class JointFiles(TransferPass pass, LocalBatch batch) : BatchFiles
{
    /// <summary>How long files and folders are held open while nothing arrives.</summary>
    private static readonly TimeSpan MaxPause = TimeSpan.FromSeconds(1);

    private readonly List<Pending> _pending = [];
    private readonly HashSet<TransferName> _names = [];

    public override ValueTask WaitForRoomAsync(BatchFile file, CancellationToken cancellationToken)
    {
        // One writer of a name at a time; and whether the name of a folder is free is decided by the file before.
        for (TransferName name = file.Name; !name.IsRoot; name = name.Folder)
        {
            if (_names.Contains(name))
            {
                return new(FinishAsync(cancellationToken));
            }
        }

        return default;
    }

    public override async ValueTask AddAsync(BatchFile file, byte[] content, BatchResultDocument result, CancellationToken cancellationToken)
    {
        try
        {
            (StoredFile? present, bool isFolder) = await batch.FindAsync(file.Name, cancellationToken);
            CreateFileOptions create = file.ToOptions(present);
            if (isFolder)
            {
                throw FileUpload.IsFolder(file.Name);
            }

            LocalBatch.Written written = await StoreConflict.AskAsync(
                batch.WriteAsync(file.Name, create, content.AsMemory(0, (int)file.Length), file.Sha256, cancellationToken), create.Precondition);
            _pending.Add(new Pending(written, result, IsNew: present is null));
            _names.Add(file.Name);
        }
        catch (Exception exception) when (Refusal.Of(exception) is { } refusal)
        {
            BatchUpload.Refuse(result, refusal);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(content);
        }

        if (_pending.Count == LocalBatch.MaxFiles || batch.IsCrowded)
        {
            await FinishAsync(cancellationToken);
        }
    }

    public override async ValueTask WaitAsync(Task reading, CancellationToken cancellationToken)
    {
        if (batch.HoldsAny)
        {
            await reading.WaitAsync(MaxPause, pass.Clock ?? TimeProvider.System, CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!reading.IsCompleted)
            {
                await FinishAsync(cancellationToken);
            }
        }
    }

    public override async Task FinishAsync(CancellationToken cancellationToken)
    {
        await batch.FlushAsync([.. _pending.Select(static one => one.Written)]);
        List<LocalBatch.Written> published = [];
        foreach (Pending one in _pending)
        {
            try
            {
                TransferName name = one.Written.Name;
                using TransferPass.Change change = await pass.BeginAsync(name, one.IsNew ? LockUse.Membership : LockUse.Content, cancellationToken);
                StoredFile file = await StoreConflict.AskAsync(batch.PublishAsync(one.Written, cancellationToken), one.Written.Precondition);
                BatchUpload.Store(one.Result, file, one.IsNew);
                published.Add(one.Written);
            }
            catch (Exception exception) when (Refusal.Of(exception) is { } refusal)
            {
                BatchUpload.Refuse(one.Result, refusal);
            }
            finally
            {
                one.Written.Dispose();
            }
        }

        batch.FlushNames(
            published,
            (written, exception) =>
            {
                BatchResultDocument result = _pending.Find(one => one.Written == written)!.Result;
                (result.Tag, result.Sha256) = (null, null);
                BatchUpload.Refuse(result, Refusal.Of(exception)!);
            });
        _pending.Clear();
        _names.Clear();
    }

    public override ValueTask DisposeAsync()
    {
        foreach (Pending one in _pending)
        {
            one.Written.Dispose();
        }

        _pending.Clear();
        batch.Dispose();
        return default;
    }

    /// <param name="Written">The file.</param>
    /// <param name="Result">Gets the result.</param>
    /// <param name="IsNew">Whether nothing had its name before.</param>
    private sealed record Pending(LocalBatch.Written Written, BatchResultDocument Result, bool IsNew);
}
