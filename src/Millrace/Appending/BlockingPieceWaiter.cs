namespace Millrace.Appending;

/// <summary>Lets a thread sleep until a piece is over.</summary>
internal sealed class BlockingPieceWaiter : IPieceWaiter, IDisposable
{
    private readonly ManualResetEventSlim _ended = new();

    public void OnEnded(int ticket, bool mayRunHere) => _ended.Set();

    public void Wait() => _ended.Wait();

    public void Dispose() => _ended.Dispose();
}
