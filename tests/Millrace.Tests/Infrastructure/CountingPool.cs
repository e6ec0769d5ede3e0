namespace Millrace.Tests.Infrastructure;

/// <summary>
/// Counts rented and returned memory, and fills returned memory with rubbish: code that goes on using it is found.
/// </summary>
internal sealed class CountingPool(int maxBufferSize = int.MaxValue) : MemoryPool<byte>
{
    private readonly Lock _gate = new();
    private readonly List<int> _sizes = [];
    private TaskCompletionSource _allReturned = Completed();
    private int _outstanding;

    public override int MaxBufferSize { get; } = maxBufferSize;

    /// <summary>The sizes of all rentals so far, in bytes, in order.</summary>
    public IReadOnlyList<int> Sizes
    {
        get
        {
            lock (_gate)
            {
                return [.. _sizes];
            }
        }
    }

    /// <summary>Rentals that were not returned yet.</summary>
    public int Outstanding
    {
        get
        {
            lock (_gate)
            {
                return _outstanding;
            }
        }
    }

    /// <summary>Completes when nothing is rented: a read on its way at completion returns its block when it ends.</summary>
    public Task AllReturnedAsync()
    {
        lock (_gate)
        {
            return _allReturned.Task;
        }
    }

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        Assert.InRange(minBufferSize, 1, MaxBufferSize);
        lock (_gate)
        {
            _sizes.Add(minBufferSize);
            if (_outstanding++ == 0)
            {
                _allReturned = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }
        }

        return new Rental(this, minBufferSize);
    }

    protected override void Dispose(bool disposing)
    {
    }

    private static TaskCompletionSource Completed()
    {
        var completed = new TaskCompletionSource();
        completed.SetResult();
        return completed;
    }

    private void Returned()
    {
        lock (_gate)
        {
            if (--_outstanding == 0)
            {
                _allReturned.SetResult();
            }
        }
    }

    private sealed class Rental(CountingPool pool, int size) : IMemoryOwner<byte>
    {
        private byte[]? _bytes = new byte[size];

        public Memory<byte> Memory => _bytes ?? throw new ObjectDisposedException(nameof(Rental));

        public void Dispose()
        {
            byte[]? bytes = Interlocked.Exchange(ref _bytes, null);
            Assert.NotNull(bytes);
            bytes.AsSpan().Fill(0xDD);
            pool.Returned();
        }
    }
}
