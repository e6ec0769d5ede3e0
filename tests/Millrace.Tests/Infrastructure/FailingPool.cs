namespace Millrace.Tests.Infrastructure;

/// <summary>A pool that has nothing more to give after a number of rentals.</summary>
internal sealed class FailingPool(int rentals) : MemoryPool<byte>
{
    public const string Reason = "The test's pool is empty.";

    private int _left = rentals;

    public override int MaxBufferSize => int.MaxValue;

    /// <summary>From now on there is enough.</summary>
    public void Refill() => Volatile.Write(ref _left, int.MaxValue);

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1) =>
        Interlocked.Decrement(ref _left) >= 0
            ? Shared.Rent(minBufferSize)
            : throw new InvalidOperationException(Reason);

    protected override void Dispose(bool disposing)
    {
    }
}
