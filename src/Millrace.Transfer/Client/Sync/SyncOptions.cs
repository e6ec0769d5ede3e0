namespace Millrace.Transfer;

/// <summary>How a folder is synced.</summary>
public sealed record SyncOptions
{
    /// <summary>Whether files that the source does not have are removed from the target.</summary>
    public bool Delete { get; init; }

    /// <summary>
    /// Where removed files go instead of being deleted: a path here, relative to the target; or a folder of the server that the target
    /// is on, by its whole name. Its files are not synced if it is in the target. Null for nowhere.
    /// </summary>
    public string? BackupFolder { get; init; }

    /// <summary>The largest part of the target's files that may be removed, 0 to 1.</summary>
    public double MaxDeleteShare { get; init; } = 0.5;

    /// <summary>The largest number of files that may be removed; null for what <see cref="MaxDeleteShare"/> allows.</summary>
    public int? MaxDelete { get; init; }

    /// <summary>Whether files are removed even if the source is empty or could not be read in full, and however many.</summary>
    public bool Force { get; init; }

    /// <summary>Whether only an equal SHA-256 means that a file is there already, and not an equal length and date.</summary>
    public bool BySha256 { get; init; }

    /// <summary>Whether files get the date of their arrival.</summary>
    public bool NoTimes { get; init; }

    /// <summary>
    /// Whether files of the target may be run where those of the source may (the executable bit of their owner), and files differ if they
    /// differ in that. Between two folders here, files that are copied keep their whole mode anyway. Not on Windows.
    /// A bucket does not list that bit: it is asked only about programs here.
    /// </summary>
    public bool Permissions { get; init; }

    /// <summary>
    /// Whether symbolic links are synced as such, and not their targets. Only relative ones that stay in the folder, with <c>..</c> at their
    /// beginning only; others are left out. No file of the target is written through a link then. A link that is removed is gone, and not kept in
    /// <see cref="BackupFolder"/>. Over HTTP, and not to a bucket.
    /// </summary>
    public bool SymbolicLinks { get; init; }

    /// <summary>
    /// Which files are synced, by their names below the folders; null for all. Others are neither moved nor removed. Called by one thread at
    /// a time.
    /// </summary>
    public Func<TransferName, bool>? Filter { get; init; }

    /// <summary>How long a watched file has to stay as it is before it is moved. 1 s by default.</summary>
    public TimeSpan Settle { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Files that move at once, 1 or more; 4 by default. Of small files that travel together more do: <see cref="TransferClient.SmallFilesAtOnce"/>.
    /// </summary>
    public int FilesAtOnce { get; init; } = 4;
}

/// <summary>The kind of a step of a sync.</summary>
public enum SyncAction
{
    /// <summary>Moves a file to the target that is not there.</summary>
    Add,

    /// <summary>Replaces a file of the target by another version.</summary>
    Replace,

    /// <summary>Renames a file of the target, which the source has under another name.</summary>
    Rename,

    /// <summary>Removes a file of the target.</summary>
    Remove,
}

/// <summary>A step of a sync.</summary>
public sealed record SyncStep
{
    internal SyncStep(SyncAction action, SyncEntry? source, SyncEntry? target)
    {
        Action = action;
        Source = source;
        Target = target;
    }

    /// <summary>The kind of step.</summary>
    public SyncAction Action { get; }

    /// <summary>The name below the folders that the file has in the end, or that is removed.</summary>
    public TransferName Name => (Source ?? Target)!.Name;

    /// <summary>The name that a renamed file has in the target now.</summary>
    public TransferName From => Action == SyncAction.Rename ? Target!.Name : default;

    /// <summary>The target of the link that is made; null for a file.</summary>
    public string? LinkTarget => Source?.LinkTarget;

    /// <summary>The bytes of the file.</summary>
    public long Length => (Source ?? Target)!.Length;

    /// <summary>Whether it moves a file that may travel with others.</summary>
    internal bool IsSmallFile => Action is SyncAction.Add or SyncAction.Replace && LinkTarget is null && Length <= TransferClient.SmallFileBytes;

    internal SyncEntry? Source { get; }

    internal SyncEntry? Target { get; }

    /// <summary>Whether the folders that it leaves empty have to go before something is added.</summary>
    internal bool IsInTheWay { get; init; }
}

/// <summary>The steps that a sync is about to take.</summary>
public sealed class SyncPlan
{
    private readonly JoinedSteps _steps;

    internal SyncPlan(
        IEnumerable<SyncStepList> phases, IReadOnlyList<SyncFault> faults, int unchanged, IReadOnlyList<TransferName> emptied)
    {
        _steps = new JoinedSteps([.. phases.Where(static phase => phase.Count > 0)]);
        Faults = faults;
        Unchanged = unchanged;
        Emptied = emptied;
    }

    /// <summary>
    /// The steps in the order in which they are done; files are moved several at once. Each access makes another object of a step, as a
    /// plan may have millions: go through them once.
    /// </summary>
    public IReadOnlyList<SyncStep> Steps => _steps;

    /// <summary>
    /// The steps in groups, each to be done after the one before it: removals of files that are in the way, renames, transfers, other
    /// removals. The steps of a group may be done at the same time.
    /// </summary>
    public IEnumerable<IReadOnlyList<SyncStep>> Phases => _steps.Lists;

    /// <summary>What could not be read or has no name on the other side.</summary>
    public IReadOnlyList<SyncFault> Faults { get; }

    /// <summary>Whether nothing of the target changes, not even a date.</summary>
    public bool IsEmpty => Steps.Count == 0 && Dates.Count == 0;

    /// <summary>Files that both sides have.</summary>
    public int Unchanged { get; }

    /// <summary>Folders without a file in the source, from the innermost one on.</summary>
    internal IReadOnlyList<TransferName> Emptied { get; }

    /// <summary>Files of the target with the source's content and another date, which they are to get.</summary>
    internal IReadOnlyList<(SyncEntry Entry, FileTime Modified)> Dates { get; init; } = [];

    /// <summary>How many files the target had.</summary>
    internal int Targets { get; init; }

    /// <summary>The plan with some of its steps.</summary>
    /// <param name="takes">Which ones.</param>
    /// <param name="fault">A fault that is added to the others; null for none.</param>
    internal SyncPlan Where(Func<SyncStep, bool> takes, SyncFault? fault) => new(
        _steps.Lists.Select(phase => phase.Where(takes)), fault is null ? Faults : [.. Faults, fault], Unchanged, Emptied)
    {
        Dates = Dates,
        Targets = Targets,
    };
}
