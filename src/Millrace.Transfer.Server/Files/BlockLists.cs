using System.Diagnostics.CodeAnalysis;
using System.Threading.RateLimiting;

namespace Millrace.Transfer.Server;

/// <summary>
/// The block sums of files, computed when they are first asked for: once for all requests, a file at a time for each caller, and a few at a
/// time for all. The last ones are kept in memory as long as the file has that version. Thread-safe.
/// </summary>
/// <remarks>
/// Not on disk beside the digests: reading a file from the page cache for its sums costs a tenth of a second per GiB, and a list that is
/// wrong there would cost every client a whole transfer.
/// </remarks>
internal sealed class BlockLists : IAsyncDisposable
{
    /// <summary>Bytes of all lists that are kept: of a file of 1 GiB, 384 KiB.</summary>
    internal const long DefaultMaxKeptBytes = 64 * 1024 * 1024;

    /// <summary>Files that are read at once, for all callers together.</summary>
    private const int MaxReading = 2;

    /// <summary>Lists that a caller may wait for.</summary>
    private const int MaxWaiting = 64;

    private readonly Lock _lock = new();
    private readonly Dictionary<Key, LinkedListNode<Entry>> _lists = [];

    // The last used first.
    private readonly LinkedList<Entry> _order = [];
    private readonly SemaphoreSlim _reading = new(MaxReading, MaxReading);
    private readonly KeyedLimiter _callers = KeyedLimiter.OfLeases(atOnce: 1, MaxWaiting);
    private readonly CancellationTokenSource _end = new();
    private long _keptBytes;
    private long _computed;

    /// <summary>Bytes of all lists that are kept; the last one is, whatever its length.</summary>
    public long MaxKeptBytes { get; init; } = DefaultMaxKeptBytes;

    /// <summary>How many lists were computed; for tests.</summary>
    public long Computed => Interlocked.Read(ref _computed);

    /// <summary>Bytes of the lists that are kept; for tests.</summary>
    public long KeptBytes
    {
        get
        {
            lock (_lock)
            {
                return _keptBytes;
            }
        }
    }

    /// <summary>The list of a file; computed if it is not known.</summary>
    /// <param name="root">The store, for every caller the same.</param>
    /// <param name="pass">The caller.</param>
    /// <param name="file">The version.</param>
    /// <param name="cancellationToken">Ends the wait; a computation that has begun goes on for the next request.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.InvalidRequest"/>: it is too long. <see cref="TransferError.Changed"/>: it has another version now.
    /// <see cref="TransferError.TooManyTransfers"/>.
    /// </exception>
    public async ValueTask<BlockSums> GetAsync(IFileStore root, TransferPass pass, StoredFile file, CancellationToken cancellationToken)
    {
        if (!BlockSums.CanList(file.Length))
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"'{file.Name}' has {file.Length} bytes, too many for a list of blocks. Get it as it is.", file.Name.Value);
        }

        var key = new Key(root, file.Name, file.Tag);
        if (TryFind(key, out Task<BlockSums>? known) && known.IsCompletedSuccessfully)
        {
            return await known;
        }

        using RateLimitLease turn = await _callers.AcquireAsync(pass.Caller, cancellationToken);
        if (!turn.IsAcquired)
        {
            throw new TransferException(
                TransferError.TooManyTransfers, $"{MaxWaiting} lists of blocks are waiting for this caller. Try again when one is there.", file.Name.Value)
            {
                RetryAfter = TimeSpan.FromSeconds(1),
            };
        }

        if (!TryFind(key, out known))
        {
            // A caller who leaves gives up its place, too.
            await _reading.WaitAsync(cancellationToken);
            known = FindOrStart(key, pass.Store, file);
        }

        return await known.WaitAsync(cancellationToken);
    }

    /// <summary>Cancels running computations.</summary>
    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        Task[] running;
        lock (_lock)
        {
            running = [.. _order.Select(static entry => entry.Sums)];
        }

        await Task.WhenAll(running).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _callers.Dispose();
        _reading.Dispose();
        _end.Dispose();
    }

    private bool TryFind(Key key, [NotNullWhen(true)] out Task<BlockSums>? sums)
    {
        lock (_lock)
        {
            if (_lists.TryGetValue(key, out LinkedListNode<Entry>? node))
            {
                _order.Remove(node);
                _order.AddFirst(node);
                sums = node.Value.Sums;
                return true;
            }

            sums = null;
            return false;
        }
    }

    /// <summary>Uses the place of the caller, or gives it back.</summary>
    private Task<BlockSums> FindOrStart(Key key, IFileStore store, StoredFile file)
    {
        lock (_lock)
        {
            if (TryFind(key, out Task<BlockSums>? known))
            {
                _reading.Release();
                return known;
            }

            Task<BlockSums> sums = Task.Run(() => ComputeAsync(key, store, file));
            _lists[key] = _order.AddFirst(new Entry(key, sums, BlockSums.DocumentBytes(file.Length)));
            _keptBytes += _order.First!.Value.Bytes;
            while (_keptBytes > MaxKeptBytes && _order.Count > 1)
            {
                // One that is still computed goes on for those who wait for it.
                Remove(_order.Last!.Value.Key);
            }

            return sums;
        }
    }

    private async Task<BlockSums> ComputeAsync(Key key, IFileStore store, StoredFile file)
    {
        try
        {
            Interlocked.Increment(ref _computed);
            await using StoredFileReader reader = await store.OpenReadAsync(file.Name, DigestNeed.IfKnown, _end.Token);
            return reader.File.Tag == file.Tag ? await ReadAsync(reader) : throw Errors.Changed(file.Name);
        }
        catch
        {
            Remove(key);
            throw;
        }
        finally
        {
            _reading.Release();
        }
    }

    private async ValueTask<BlockSums> ReadAsync(StoredFileReader reader)
    {
        PipeReader content = reader.Read(new ByteRange(0, reader.File.Length));
        try
        {
            return await BlockSums.ComputeAsync(content, reader.File.Length, _end.Token);
        }
        catch (IOException exception) when (exception is not TransferException)
        {
            throw Errors.Changed(reader.File.Name, exception);
        }
        finally
        {
            await content.CompleteAsync();
        }
    }

    private void Remove(Key key)
    {
        lock (_lock)
        {
            if (_lists.Remove(key, out LinkedListNode<Entry>? node))
            {
                _order.Remove(node);
                _keptBytes -= node.Value.Bytes;
            }
        }
    }

    private readonly record struct Key(IFileStore Root, TransferName Name, EntityTag Tag);

    private readonly record struct Entry(Key Key, Task<BlockSums> Sums, long Bytes);
}
