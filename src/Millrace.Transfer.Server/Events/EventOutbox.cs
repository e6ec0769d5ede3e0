namespace Millrace.Transfer.Server;

/// <summary>
/// Keeps events until they are delivered. A change is recorded before it is made, so that after a crash the next process can find out
/// whether it was made. Thread-safe.
/// </summary>
internal abstract class EventOutbox : IAsyncDisposable
{
    /// <summary>Held while a change of the name is recorded and made, so that the order of the events is that of the changes.</summary>
    public NameLocks Locks { get; } = new();

    /// <summary>Settles the changes of a process that has died, and begins to deliver.</summary>
    /// <param name="hasHappened">Whether it has happened, with the event to deliver; null if it has not.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public abstract ValueTask StartAsync(Func<EventRecord, CancellationToken, ValueTask<EventRecord?>> hasHappened, CancellationToken cancellationToken);

    /// <summary>Records an intended change.</summary>
    /// <param name="record">The event.</param>
    /// <param name="identify">Identifies the file or folder that has the name now.</param>
    /// <param name="isForced">Whether it must not be refused because the outbox is full.</param>
    /// <param name="cancellationToken">Until it begins to be recorded.</param>
    /// <returns>
    /// The event with <see cref="EventRecord.Before"/>, whose kind is that of a new file only if nothing had the name; and a task that completes
    /// when it is durable. The change must not be visible before that.
    /// </returns>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>: the outbox is full.</exception>
    public abstract ValueTask<(EventRecord Begun, Task Recorded)> RecordAsync(
        EventRecord record, Func<CancellationToken, ValueTask<string?>> identify, bool isForced, CancellationToken cancellationToken);

    /// <summary>The same as <see cref="RecordAsync"/>, and waits until it is durable.</summary>
    public async ValueTask<EventRecord> BeginAsync(
        EventRecord record, Func<CancellationToken, ValueTask<string?>> identify, bool isForced, CancellationToken cancellationToken)
    {
        (EventRecord begun, Task recorded) = await RecordAsync(record, identify, isForced, cancellationToken);
        await recorded;
        return begun;
    }

    /// <summary>Records whether it has happened.</summary>
    /// <param name="begun">What <see cref="RecordAsync"/> has returned.</param>
    /// <param name="happened">The event to deliver; null if it has not happened.</param>
    public abstract ValueTask SettleAsync(EventRecord begun, EventRecord? happened);

    /// <summary>Leaves a change of which it could not be found out whether it has happened; by default to the next process.</summary>
    /// <param name="begun">What <see cref="RecordAsync"/> has returned.</param>
    public virtual void Leave(EventRecord begun)
    {
    }

    public virtual ValueTask DisposeAsync()
    {
        Locks.Dispose();
        return default;
    }

    protected static TransferException Full(EventRecord record) => new(
        TransferError.NoSpace,
        $"The change of '{record.Name}' is refused, because too many events about changes before it wait for their receiver. Try again later.",
        record.Name);

    protected static EventRecord At(EventRecord record, string? before) => record with
    {
        Before = before,
        IsFolder = record.IsFolder || (record.Kind is FileEventKind.Deleted or FileEventKind.Moved && FileEvents.IsFolder(before)),
        Kind = record.Kind == FileEventKind.Replaced && before is null ? FileEventKind.Created : record.Kind,
    };
}
