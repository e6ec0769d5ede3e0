using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// Distinguishes versions of files by their facts. The clock of a file system advances in steps: a file that was changed in
/// the current step can change again and look the same. So facts are trusted only when they are older than a step, or when
/// this store has set them, to a time that no other version has. Where a file's writer gives its time, the time of the last change, which
/// only the system sets, keeps versions apart. Thread-safe.
/// </summary>
internal sealed class VersionWatch(StoreTree tree, bool native)
{
    /// <summary>Longest step of the clock of a file system that counts nanoseconds.</summary>
    /// <remarks>A tick of Linux, 10 ms where it is longest (CONFIG_HZ=100), twice.</remarks>
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(20);

    /// <summary>Longest step of one that counts seconds: FAT's 2 s.</summary>
    private static readonly TimeSpan CoarseStep = TimeSpan.FromSeconds(2);

    /// <summary>How far a file server's clock may be ahead of ours.</summary>
    private static readonly TimeSpan Skew = TimeSpan.FromSeconds(10);

    /// <summary>How often a file that keeps changing is checked.</summary>
    private const int MaxChecks = 3;

    private readonly ConcurrentDictionary<FileFacts, long> _own = new();
    private long _lastStamp;

    /// <summary>When old publications are forgotten next: not at each one, which would walk over all of them.</summary>
    private long _nextSweep;

    /// <summary>Sets the modification time of a file before it is published: a given one, or one that no other version has.</summary>
    /// <param name="file">The file, all of whose bytes are written.</param>
    /// <param name="given">When it was changed, if its writer specified it; null for now.</param>
    /// <param name="replaced">The file that it replaces, as far as the system does not say which file is which; null for none.</param>
    /// <param name="cancellationToken">Ends a wait for the system's clock.</param>
    /// <returns>The time, in nanoseconds since 1970; null where it cannot be set.</returns>
    public async ValueTask<long?> StampAsync(
        SafeFileHandle file, FileTime? given, FileFacts? replaced, CancellationToken cancellationToken)
    {
        if (given is not { } time || !TrySet(file, time))
        {
            return Stamp(file);
        }

        FileFacts facts = tree.Look(file);
        TimeSpan step = facts.Changed % 1_000_000_000 == 0 ? CoarseStep : Step;
        facts = facts with { Changed = 0 };
        if (!native && (_own.ContainsKey(facts) || (replaced is { } before && before.Length == facts.Length && before.Modified == facts.Modified)))
        {
            // Nothing would keep the two apart.
            return Stamp(file);
        }

        // A file that is gone may have been this inode, with the same length and time: then it was changed in another step.
        while (_own.TryGetValue(facts, out long published) && Environment.TickCount64 - published <= step.TotalMilliseconds)
        {
            await Task.Delay(step, cancellationToken);
        }

        return facts.Modified;
    }

    /// <summary>Sets a modification time that no other version has.</summary>
    /// <returns>The time, in nanoseconds since 1970; null where it cannot be set.</returns>
    private long? Stamp(SafeFileHandle file)
    {
        long now = (DateTime.UtcNow - DateTime.UnixEpoch).Ticks * 100;
        long last;
        long stamp;
        do
        {
            last = Volatile.Read(ref _lastStamp);

            // In whole steps of the framework's clock, so that the framework can set it; never a whole second, which
            // would look like a file system that counts seconds only.
            stamp = Math.Max(now, last + 100);
            stamp += stamp % 1_000_000_000 == 0 ? 100 : 0;
        }
        while (Interlocked.CompareExchange(ref _lastStamp, stamp, last) != last);

        return TrySet(file, new FileTime(stamp / 1_000_000_000, (int)(stamp % 1_000_000_000))) ? stamp : null;
    }

    private bool TrySet(SafeFileHandle file, FileTime time)
    {
        if (native)
        {
            return VersionFacts.SetModified(file, time) == 0;
        }

        try
        {
            File.SetLastWriteTimeUtc(file, time.ToDateTimeOffset().UtcDateTime);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentOutOfRangeException)
        {
            // Windows counts from 1601.
            return false;
        }
    }

    /// <summary>Remembers facts that <see cref="StampAsync"/> set: they can be trusted at once.</summary>
    /// <param name="facts">Those of the published file.</param>
    /// <param name="isGiven">Whether another version may get the same time.</param>
    public void Published(in FileFacts facts, bool isGiven)
    {
        long now = Environment.TickCount64;
        long due = Volatile.Read(ref _nextSweep);
        if (now >= due && Interlocked.CompareExchange(ref _nextSweep, now + (long)CoarseStep.TotalMilliseconds, due) == due)
        {
            foreach ((FileFacts old, long when) in _own)
            {
                if (now - when > CoarseStep.TotalMilliseconds)
                {
                    _own.TryRemove(old, out _);
                }
            }
        }

        _own[facts] = now;
        if (isGiven)
        {
            _own[facts with { Changed = 0 }] = now;
        }
    }

    /// <summary>Returns the facts of an open file; waits if they are too new.</summary>
    /// <param name="file">The file.</param>
    /// <param name="facts">Its facts when it was opened.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null when the file keeps changing.</returns>
    public async ValueTask<FileFacts?> LookAsync(SafeFileHandle file, FileFacts facts, CancellationToken cancellationToken)
    {
        for (int i = 0; i < MaxChecks; i++)
        {
            if (!IsNew(facts, out TimeSpan step))
            {
                return facts;
            }

            await Task.Delay(step, cancellationToken);
            FileFacts again = tree.Look(file);
            if (again == facts)
            {
                return facts;
            }

            facts = again;
        }

        return null;
    }

    /// <summary>Whether a file with these facts could change and keep them.</summary>
    public bool IsNew(in FileFacts facts, out TimeSpan step)
    {
        step = facts.Changed % 1_000_000_000 == 0 ? CoarseStep : Step;

        // The framework reports writes, not changes.
        long moved = native ? facts.Changed : Math.Max(facts.Changed, facts.Modified);
        TimeSpan age = DateTime.UtcNow - DateTime.UnixEpoch.AddTicks(moved / 100);
        return age < step && age > -Skew && !_own.ContainsKey(facts);
    }

    /// <summary>A file whose version is not certain: a tag that no file ever has again, and no digest.</summary>
    public static StoredFile Unsettled(in FileFacts facts, TransferName name) => facts.ToFile(name, digest: null) with
    {
        Tag = new EntityTag($"{facts.ToTag().Value}-{RandomNumberGenerator.GetHexString(16, lowercase: true)}"),
    };
}
