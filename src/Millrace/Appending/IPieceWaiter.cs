namespace Millrace.Appending;

/// <summary>Told once, on any thread and under no lock, that a piece is over.</summary>
internal interface IPieceWaiter
{
    /// <param name="ticket">What the waiter gave when it began to wait: an older one is not meant any more.</param>
    /// <param name="mayRunHere">Whether who waits may go on on this thread.</param>
    void OnEnded(int ticket, bool mayRunHere);
}
