using System.Buffers;
using System.Collections;

namespace Millrace.Transfer;

/// <summary>
/// Steps of a sync, packed, for plans of millions of files: a name takes what distinguishes it from the one before. A file to add takes about
/// 20 bytes, one of a server's listing about 80. Not thread-safe while steps are added.
/// </summary>
internal sealed class SyncStepList : IReadOnlyList<SyncStep>
{
    /// <summary>Steps that are unpacked together.</summary>
    private const int BlockSteps = 32;

    private readonly List<byte[]> _blocks = [];
    private readonly ArrayBufferWriter<byte> _open = new();

    /// <summary>Steps with something that is not packed, by their indexes.</summary>
    private readonly Dictionary<int, SyncStep> _unpacked = [];
    private string _last = "";

    /// <inheritdoc/>
    public int Count { get; private set; }

    /// <summary>Bytes that the packed steps take.</summary>
    public long PackedBytes => _blocks.Sum(static block => (long)block.Length) + _open.WrittenCount;

    /// <summary>Steps that are kept as they are.</summary>
    public int UnpackedSteps => _unpacked.Count;

    /// <inheritdoc/>
    public SyncStep this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfNegative(index);
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, Count);
            return Unpack(index / BlockSteps)[index % BlockSteps];
        }
    }

    /// <summary>Adds a step.</summary>
    public void Add(SyncStep step)
    {
        int start = _open.WrittenCount;
        string before = _last;
        StepPacking.Write(_open, step, ref _last);
        string after = before;
        if (StepPacking.Read(_open.WrittenSpan[start..], ref after, out _) != step)
        {
            _unpacked.Add(Count, step);
        }

        Count++;
        if (Count % BlockSteps == 0)
        {
            _blocks.Add(_open.WrittenSpan.ToArray());
            _open.ResetWrittenCount();
            _last = "";
        }
    }

    /// <summary>The steps for which a condition is met.</summary>
    public SyncStepList Where(Func<SyncStep, bool> takes)
    {
        var taken = new SyncStepList();
        foreach (SyncStep step in this)
        {
            if (takes(step))
            {
                taken.Add(step);
            }
        }

        return taken;
    }

    /// <inheritdoc/>
    public IEnumerator<SyncStep> GetEnumerator()
    {
        for (int block = 0; block * BlockSteps < Count; block++)
        {
            foreach (SyncStep step in Unpack(block))
            {
                yield return step;
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private SyncStep[] Unpack(int block)
    {
        ReadOnlySpan<byte> packed = block < _blocks.Count ? _blocks[block] : _open.WrittenSpan;
        var steps = new SyncStep[Math.Min(BlockSteps, Count - (block * BlockSteps))];
        string last = "";
        for (int i = 0; i < steps.Length; i++)
        {
            SyncStep step = StepPacking.Read(packed, ref last, out int bytes);
            steps[i] = _unpacked.GetValueOrDefault((block * BlockSteps) + i, step);
            packed = packed[bytes..];
        }

        return steps;
    }
}
