using System.ComponentModel;
using System.Runtime.CompilerServices;
using Millrace.Sequences;

namespace Millrace;

/// <summary>
/// What MoveNextAsync of Millrace's sequences returns: awaitable and awaiter in one, and nothing but "ready" while bytes
/// are in memory.
/// </summary>
/// <remarks>
/// A <see cref="ValueTask{TResult}"/> says the same in four fields, which are written and tested for every element; this
/// one is a reference that is null (docs/measuring.md has both). Await it at once and once, as `await foreach` does.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct NextAwaitable : ICriticalNotifyCompletion
{
    private readonly Feed? _pending;

    internal NextAwaitable(Feed pending) => _pending = pending;

    /// <summary>Whether awaiting it would not wait.</summary>
    public bool IsCompleted => _pending is null || _pending.IsMoveCompleted;

    /// <summary>Itself.</summary>
    public NextAwaitable GetAwaiter() => this;

    /// <summary>Whether there is a next element.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool GetResult() => _pending is null || _pending.GetMoveResult();

    /// <inheritdoc/>
    public void OnCompleted(Action continuation)
    {
        ArgumentNullException.ThrowIfNull(continuation);
        if (_pending is null)
        {
            continuation();
            return;
        }

        _pending.OnMoveCompleted(continuation);
    }

    /// <inheritdoc/>
    public void UnsafeOnCompleted(Action continuation)
    {
        ArgumentNullException.ThrowIfNull(continuation);
        if (_pending is null)
        {
            continuation();
            return;
        }

        _pending.UnsafeOnMoveCompleted(continuation);
    }
}
