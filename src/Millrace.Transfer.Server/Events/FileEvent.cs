using System.Globalization;

namespace Millrace.Transfer.Server;

/// <summary>What happened in a store.</summary>
public enum FileEventKind
{
    /// <summary>A file or a folder has a name that nothing had before.</summary>
    Created,

    /// <summary>A file has a new version, or a folder was exchanged for another one.</summary>
    Replaced,

    /// <summary>A file, or a folder with everything in it, has another name.</summary>
    Moved,

    /// <summary>A file, or a folder with everything in it, is gone or in the trash.</summary>
    Deleted,

    /// <summary>A resumable upload was started.</summary>
    UploadStarted,

    /// <summary>A resumable upload was deleted because no client has continued it.</summary>
    UploadExpired,

    /// <summary>Events were dropped because the receiver did not take them and the outbox was full.</summary>
    Dropped,
}

/// <summary>An event of a store. docs/hooks.md describes it.</summary>
public sealed record FileEvent
{
    /// <summary>Names the event; the same when it is delivered again.</summary>
    public required string Id { get; init; }

    /// <summary>The kind of change.</summary>
    public FileEventKind Kind { get; init; }

    /// <summary>The file or folder, under its new name; <c>default</c> for <see cref="FileEventKind.Dropped"/> and partial uploads.</summary>
    public TransferName Name { get; init; }

    /// <summary>The name that it had before it was moved; <c>default</c> otherwise.</summary>
    public TransferName From { get; init; }

    /// <summary>Whether it is a folder. The files in it have no events.</summary>
    public bool IsFolder { get; init; }

    /// <summary>When it happened, by the server's clock.</summary>
    public DateTimeOffset Time { get; init; }

    /// <summary>Bytes of the file or of the whole upload; null for folders, deleted files, and if unknown.</summary>
    public long? Length { get; init; }

    /// <summary>The file's digest, if it is known.</summary>
    public Sha256Digest? Sha256 { get; init; }

    /// <summary>The file's version; null for folders, deleted files and uploads.</summary>
    public EntityTag? Tag { get; init; }

    /// <summary>The name of the token that did it; null for an anonymous caller and for the server itself.</summary>
    public string? By { get; init; }

    /// <summary>The upload; null for other events.</summary>
    public string? Upload { get; init; }

    /// <summary>How many events were dropped.</summary>
    public long Dropped { get; init; }

    /// <summary>The type of the CloudEvent.</summary>
    public string Type => Kind switch
    {
        FileEventKind.UploadStarted => "millrace.upload.started",
        FileEventKind.UploadExpired => "millrace.upload.expired",
        FileEventKind.Dropped => "millrace.events.dropped",
        _ => string.Create(CultureInfo.InvariantCulture, $"millrace.{(IsFolder ? "folder" : "file")}.{Kind.ToString().ToLowerInvariant()}"),
    };
}

/// <summary>
/// Takes the events of a store: each at least once, and those of one name in the order in which they happened. A duplicate has the same
/// <see cref="FileEvent.Id"/>.
/// </summary>
public interface IFileEvents
{
    /// <summary>Takes an event. Called by several threads at once, for different names. The event is delivered when this returns.</summary>
    /// <param name="fileEvent">The event.</param>
    /// <param name="cancellationToken">Cancels when the server stops; the next one delivers the event.</param>
    /// <exception cref="FileEventException">It was not taken, and is delivered again later. Every other exception means the same.</exception>
    ValueTask DeliverAsync(FileEvent fileEvent, CancellationToken cancellationToken);
}

/// <summary>An event was not taken by its receiver.</summary>
public sealed class FileEventException : Exception
{
    /// <summary>Creates one.</summary>
    public FileEventException()
    {
    }

    /// <summary>Creates one with a message for the log.</summary>
    public FileEventException(string message)
        : base(message)
    {
    }

    /// <summary>Creates one with a message for the log, and its cause.</summary>
    public FileEventException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>When to try again; null for the usual time.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>Whether only this event was refused. Those of other names are delivered meanwhile.</summary>
    public bool IsOfEvent { get; init; }
}

/// <summary>What happens when the outbox is full because the receiver takes no events.</summary>
public enum FullOutbox
{
    /// <summary>Changes of files are refused with the status 507.</summary>
    Refuse,

    /// <summary>The oldest events are dropped, and an event of the kind <see cref="FileEventKind.Dropped"/> has their number.</summary>
    Drop,
}

/// <summary>Where the events of a server's store go.</summary>
public sealed class FileEventOptions
{
    /// <summary>Takes the events: <see cref="WebHook"/>, or a program's own.</summary>
    public required IFileEvents Receiver { get; init; }

    /// <summary>Events that wait to be delivered, at most; 1 or more, 100,000 by default. Each takes about 1 KiB of memory.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int MaxPending
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            field = value;
        }
    }

    = 100_000;

    /// <summary>What to do when <see cref="MaxPending"/> events wait.</summary>
    public FullOutbox WhenFull { get; set; }

    /// <summary>The first wait before an event is delivered again; doubled each time, up to 5 minutes. 1 second by default.</summary>
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromSeconds(1);
}

/// <summary>An event as the outbox keeps it, with the facts that recovery compares.</summary>
internal sealed record EventRecord
{
    public required string Id { get; init; }
    public FileEventKind Kind { get; init; }
    public string Name { get; init; } = "";
    public string? From { get; init; }
    public bool IsFolder { get; init; }
    public long Time { get; init; }
    public long? Length { get; init; }
    public string? Sha256 { get; init; }
    public string? Tag { get; init; }
    public string? By { get; init; }
    public string? Upload { get; init; }
    public long Dropped { get; init; }

    /// <summary>Identifies the file or folder that had the name before, or the old name of a move; null for none.</summary>
    public string? Before { get; init; }

    /// <summary>Identifies the file or folder that had the new name before a move; null for none.</summary>
    public string? Target { get; init; }

    /// <summary>The server that was about to do it, of those that share a bucket.</summary>
    public string? Server { get; init; }

    /// <summary>Where it waits in a bucket; not kept.</summary>
    public string? Key { get; init; }

    public FileEvent ToEvent() => new()
    {
        Id = Id,
        Kind = Kind,
        Name = TransferName.TryParse(Name, out TransferName name) ? name : default,
        From = TransferName.TryParse(From ?? "", out TransferName from) ? from : default,
        IsFolder = IsFolder,
        Time = DateTimeOffset.FromUnixTimeMilliseconds(Time),
        Length = Length,
        Sha256 = Sha256Digest.TryParse(Sha256, out Sha256Digest digest) ? digest : null,
        Tag = Tag is null ? null : new EntityTag(Tag),
        By = By,
        Upload = Upload,
        Dropped = Dropped,
    };

    public EventRecord With(StoredFile? file) => file is null ? this : this with
    {
        Length = file.Length,
        Sha256 = file.Sha256?.ToString(),
        Tag = file.Tag.Value,
    };

    /// <summary>Whether two events are of one name, or of a folder and something in it, so that their order counts.</summary>
    public bool ConflictsWith(EventRecord other) =>
        Meets(Name, other.Name) || (other.From is { } its && Meets(Name, its)) || (From is { } from && (Meets(from, other.Name) || (other.From is { } both && Meets(from, both))));

    private static bool Meets(string one, string other) =>
        one.Length > 0 && other.Length > 0 && (one.Length == other.Length ? string.Equals(one, other, StringComparison.Ordinal)
        : one.Length < other.Length ? IsAbove(one, other)
        : IsAbove(other, one));

    private static bool IsAbove(string folder, string name) => name[folder.Length] == '/' && name.StartsWith(folder, StringComparison.Ordinal);
}

/// <summary>A line of the outbox in a folder.</summary>
internal sealed record EventLine
{
    /// <summary>Something is about to happen.</summary>
    public EventRecord? Intent { get; init; }

    /// <summary>It has happened, and the event is to be delivered.</summary>
    public EventRecord? Event { get; init; }

    /// <summary>The event was delivered or dropped, or the change was not made.</summary>
    public string? Done { get; init; }
}
