using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Millrace.Diagnostics;
using Millrace.Sources;

namespace Millrace.Tuning;

/// <summary>
/// Chooses how many bytes one system call copies between the page cache and memory, from the times of the process's own
/// calls. Shared by the process. Thread-safe.
/// </summary>
/// <remarks>
/// <para>
/// Processors differ: on some, copies get cheaper up to the size of the second-level cache, on others they do not, and a
/// larger block only falls out of that cache. So from time to time one file's reader or writer uses every candidate once, in
/// blocks that follow each other (<see cref="SizeSeries"/>). A size that costs much more than the best is given up for the
/// smallest that does not. Only sizes measured together are compared: another file, in other folios, has other costs.
/// </para>
/// <para>
/// A series copies 3.5 MiB, at most once in 64 MiB: where copies of the smaller sizes cost 1.7 and 1.3 times the best
/// one, as on Zen 4, that is one percent of the copying, and less of a reader's work. Once the series agree, there is one in 2 GiB, until one disagrees.
/// </para>
/// </remarks>
internal sealed class SizeTuner
{
    /// <summary>Bytes of the smallest candidate; each further one is twice as large.</summary>
    public const int MinBytes = 256 * 1024;

    /// <summary>Bytes of the largest candidate.</summary>
    /// <remarks>2 MiB gained 1 to 2 % where 1 MiB gained 20, for twice the memory. See docs/measuring.md.</remarks>
    public const int MaxBytes = 1024 * 1024;

    public const int Candidates = 3;

    /// <summary>How much more than the best size a smaller one may cost.</summary>
    private const double Tolerance = 1.05;

    private const long FirstSeriesAt = 8L * 1024 * 1024;
    private const long Interval = 64L * 1024 * 1024;
    private const long SettledInterval = 2L * 1024 * 1024 * 1024;

    private readonly Lock _gate = new();
    private readonly string _name;
    private readonly bool _fixed;
    private KeptSeries _kept;
    private int _count;
    private int _size;
    private long _bytesUntilSeries = FirstSeriesAt;

    /// <summary>A tuner that begins with a size known to suit the processor, or keeps to a size that was asked for.</summary>
    /// <param name="name">The kind of copy that events report.</param>
    /// <param name="fixedBytes">0, or the size to keep to.</param>
    public SizeTuner(string name, int fixedBytes = 0)
    {
        _name = name;
        _fixed = fixedBytes > 0;
        _size = _fixed ? fixedBytes : Known;
    }

    public static bool IsAmd { get; } = Processor().IsAmd;

    /// <summary>What <see cref="KnownFor"/> has for this processor. First: <see cref="Reading"/> begins with it.</summary>
    public static int Known { get; } = KnownFor(Processor());

    /// <summary>What readers of large files use.</summary>
    public static SizeTuner Reading { get; } = new("reading", BlockSizes.ForProcess);

    /// <summary>Bytes to copy at once.</summary>
    public int Size => Volatile.Read(ref _size);

    /// <summary>Why <see cref="Size"/> was chosen, in words for a person.</summary>
    public string Reason =>
        _fixed ? "fixed for the process"
        : Volatile.Read(ref _count) >= KeptSeries.Needed ? "measured by this process"
        : "known to suit the processor";

    /// <summary>
    /// The current size if its cost lies within 5 % of the best, otherwise the smallest for which that is so, from the costs of
    /// series: each is divided by its own best, and the median over the series counts, so that one that was interrupted decides nothing.
    /// </summary>
    public static int Choose(ReadOnlySpan<SizeCosts> series, int current = MinBytes)
    {
        Span<double> relative = stackalloc double[series.Length];
        Span<double> costs = stackalloc double[Candidates];
        for (int candidate = 0; candidate < Candidates; candidate++)
        {
            for (int i = 0; i < series.Length; i++)
            {
                relative[i] = series[i][candidate] / Best(series[i]);
            }

            relative.Sort();
            costs[candidate] = relative[relative.Length / 2];
        }

        double limit = Best(costs) * Tolerance;
        if (costs[BitOperations.Log2((uint)(current / MinBytes))] <= limit)
        {
            // Two reading threads disturb each other's times: without a reason, the size does not change.
            return current;
        }

        int smallest = 0;
        while (costs[smallest] > limit)
        {
            smallest++;
        }

        return MinBytes << smallest;
    }

    /// <summary>The initial size on a processor: the one measured on one of its kind.</summary>
    /// <param name="processor">Whether it is AMD's, and the bytes of its second-level cache; 0 if unknown.</param>
    public static int KnownFor((bool IsAmd, int CacheBytes) processor) =>
        !processor.IsAmd || processor.CacheBytes < 2 * MinBytes ? MinBytes
        : processor.CacheBytes >= MaxBytes ? MaxBytes
        : MaxBytes / 2;

    /// <summary>Counts bytes that are about to be copied.</summary>
    /// <returns>Whether the caller is to measure a series now; only one caller gets true.</returns>
    public bool CountAndAsk(int bytes)
    {
        if (_fixed)
        {
            return false;
        }

        long left = Interlocked.Add(ref _bytesUntilSeries, -bytes);
        return left <= 0 && Interlocked.CompareExchange(ref _bytesUntilSeries, Interval, left) == left;
    }

    /// <summary>Takes the costs of one series, in any unit of time for each byte.</summary>
    public void Submit(in SizeCosts costs)
    {
        if (_fixed)
        {
            return;
        }

        lock (_gate)
        {
            _kept[_count % KeptSeries.Length] = costs;
            _count++;
            if (_count < KeptSeries.Needed)
            {
                return;
            }

            int chosen = Choose(_kept[..Math.Min(_count, KeptSeries.Length)], _size);
            if (_count >= KeptSeries.Length && Choose([costs], chosen) == chosen)
            {
                Interlocked.Exchange(ref _bytesUntilSeries, SettledInterval);
            }

            if (chosen != _size)
            {
                Volatile.Write(ref _size, chosen);
                MillraceEventSource.Log.SizeTuned(_name, chosen);
            }
        }
    }

    private static double Best(ReadOnlySpan<double> costs)
    {
        double best = costs[0];
        foreach (double cost in costs)
        {
            best = Math.Min(best, cost);
        }

        return best;
    }

    /// <summary>Asks the processor itself: leaf 0 has the vendor, leaf 0x80000006 of AMD's has KiB of cache in 31:16 of ECX.</summary>
    private static (bool IsAmd, int CacheBytes) Processor()
    {
        const int Auth = 0x68747541; // of "AuthenticAMD"
        if (!X86Base.IsSupported || X86Base.CpuId(0, 0).Ebx != Auth)
        {
            return default;
        }

        uint highest = (uint)X86Base.CpuId(unchecked((int)0x80000000), 0).Eax;
        return (true, highest < 0x80000006 ? 0 : (X86Base.CpuId(unchecked((int)0x80000006), 0).Ecx >>> 16) * 1024);
    }

    /// <summary>The latest series. The median of three needs no more than one good neighbour for each bad one.</summary>
    [InlineArray(Length)]
    private struct KeptSeries
    {
        public const int Length = 5;
        public const int Needed = 3;

        private SizeCosts _series;
    }
}

/// <summary>What each candidate cost in one series, smallest first: time for each byte.</summary>
[InlineArray(SizeTuner.Candidates)]
internal struct SizeCosts
{
    private double _cost;
}

/// <summary>
/// The sizes of one file's system calls: the tuner's, and from time to time every candidate once. A mutable struct, owned by the
/// reader or writer; not thread-safe.
/// </summary>
internal struct SizeSeries
{
    /// <summary>Only the last counts: the first finds its memory as a call of another size has left it in the caches.</summary>
    private const int CallsForEach = 2;

    private SizeCosts _costs;

    // Calls not handed out yet, and candidates not measured yet.
    private int _left;
    private int _missing; // a bit for each

    /// <summary>Bytes of the next system call.</summary>
    /// <param name="tuner">The tuner of the process.</param>
    /// <param name="limit">Bytes that it must not exceed; less than <see cref="SizeTuner.MaxBytes"/> where nothing is tried.</param>
    /// <param name="trial">0, or what to pass to <see cref="Record"/> with the time that the call took.</param>
    public int Next(SizeTuner tuner, int limit, out int trial)
    {
        trial = 0;
        if (_left == 0)
        {
            int bytes = Math.Min(tuner.Size, limit);
            if (limit < SizeTuner.MaxBytes || !tuner.CountAndAsk(bytes))
            {
                return bytes;
            }

            _left = CallsForEach * SizeTuner.Candidates;
            _missing = (1 << SizeTuner.Candidates) - 1;
        }

        // The largest first: where memory is touched for the first time, that is not the cost of the smaller ones.
        _left--;
        int candidate = _left / CallsForEach;
        trial = _left % CallsForEach == 0 ? candidate + 1 : 0;
        return SizeTuner.MinBytes << candidate;
    }

    /// <summary>Records the cost of a call that <see cref="Next"/> called a trial and that only copied.</summary>
    public void Record(SizeTuner tuner, int trial, int bytes, long ticks)
    {
        int bit = 1 << (trial - 1);
        if ((_missing & bit) == 0)
        {
            // Of a series that was given up meanwhile.
            return;
        }

        _costs[trial - 1] = (double)Math.Max(1, ticks) / bytes;
        _missing &= ~bit;
        if (_missing == 0)
        {
            tuner.Submit(_costs);
        }
    }

    /// <summary>Gives up a series: a call had to wait, or was shorter.</summary>
    public void Abandon()
    {
        _left = 0;
        _missing = 0;
    }
}
