using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Reads by io_uring: one ring for all readers, one thread that hands the reads over and takes them back.
/// </summary>
/// <remarks>
/// One thread and not the readers' own: the kernel works completions off on the thread that handed the read over, which
/// would interrupt the caller's threads and delay their ends. The ring's thread
/// only ever waits in the ring; a block that needs more than that is finished on the thread pool.
/// </remarks>
internal sealed unsafe class DirectRing : DirectEngine
{
    private const int Entries = 128;

    /// <summary>Reads in flight for the whole process; readers beyond that take turns.</summary>
    /// <remarks>Nearly 16 readers' worth, 32 MiB: more than a disk has use for. One entry is the signal's.</remarks>
    private const int MaxReads = Entries - 1;

    private const ulong SignalData = ulong.MaxValue;

    private readonly Slot[] _slots = new Slot[MaxReads];
    private readonly int[] _freeSlots = new int[MaxReads];
    private readonly Queue<DirectSource> _sources = new();
    private readonly Lock _gate = new();
    private readonly SafeFileHandle _signal = IoUringCalls.CreateEvent();
    private readonly ulong* _signalBuffer = (ulong*)NativeMemory.AllocZeroed(sizeof(ulong));
    private IoUring? _ring;
    private int _free;
    private int _sleeping;
    private bool _signalArmed;
    private volatile bool _broken;

    private DirectRing()
    {
        for (int i = 0; i < MaxReads; i++)
        {
            _freeSlots[_free++] = i;
        }
    }

    public override string Reason { get; } = $"O_DIRECT, io_uring, {BlocksInFlight} blocks in flight";

    public override bool ClaimsItself => !_broken;

    public bool Broken => _broken;

    public int Descriptor => _ring!.Descriptor;

    /// <summary>Makes a ring and tries it out.</summary>
    public static string? TryStart(out DirectRing? ring)
    {
        var created = new DirectRing();
        string? refusal = "";
        using var tried = new ManualResetEventSlim();
        var thread = new Thread(() =>
        {
            refusal = created.TryCreate();
            tried.Set();
            if (refusal is null)
            {
                created.Run();
            }
        })
        {
            IsBackground = true,
            Name = "Millrace io_uring",
        };
        thread.UnsafeStart();

        // Two system calls; no device is asked.
        tried.Wait();
        ring = refusal is null ? created : null;
        return refusal;
    }

    public override void Wake(DirectSource source)
    {
        lock (_gate)
        {
            if (_broken)
            {
                source.StartWorker();
                return;
            }

            if (source.WaitsForRing)
            {
                return;
            }

            source.WaitsForRing = true;
            _sources.Enqueue(source);
        }

        if (Interlocked.Exchange(ref _sleeping, 0) == 1)
        {
            IoUringCalls.Raise(_signal);
        }
    }

    /// <summary>
    /// Makes the ring, and one read with it: of the signal, for which the thread waits later.
    /// </summary>
    private string? TryCreate()
    {
        if (_signal.IsInvalid)
        {
            return "io_uring: no file descriptor left";
        }

        IoUring? ring = IoUring.TryCreate(Entries, out int error);
        if (ring is not null)
        {
            IoUringCalls.Raise(_signal);
            _ = ring.TryQueueRead(SignalDescriptor, (byte*)_signalBuffer, sizeof(ulong), 0, SignalData);
            error = ring.Enter(wait: true);
            if (error == 0 && ring.TryTake(out _, out int result) && result == sizeof(ulong))
            {
                _ring = ring;
                return null;
            }

            ring.Dispose();
        }

        _signal.Dispose();
        return $"io_uring is refused: {Marshal.GetPInvokeErrorMessage(error)}";
    }

    private int SignalDescriptor => (int)_signal.DangerousGetHandle();

    private void Run()
    {
        IoUring ring = _ring!;
        while (true)
        {
            bool idle = !Serve(ring) && TryIdle();
            int error = ring.Enter(wait: idle);
            Volatile.Write(ref _sleeping, 0);
            if (error != 0)
            {
                Break();
                return;
            }

            while (ring.TryTake(out ulong data, out int result))
            {
                if (data == SignalData)
                {
                    _signalArmed = false;
                }
                else
                {
                    Complete((int)data, result);
                }
            }
        }
    }

    /// <summary>Writes down the reads of all sources that asked, as long as there is room.</summary>
    private bool Serve(IoUring ring)
    {
        if (!_signalArmed)
        {
            _signalArmed = ring.TryQueueRead(
                SignalDescriptor, (byte*)_signalBuffer, sizeof(ulong), 0, SignalData);
        }

        while (_free > 0 && TryTakeSource(out DirectSource? source))
        {
            while (_free > 0 && source.TryClaim(out Block? block, out int descriptor, out int bytes))
            {
                int slot = _freeSlots[--_free];
                _slots[slot] = new Slot(source, block);
                bool queued = ring.TryQueueRead(descriptor, block.Body, bytes, block.FileOffset, (ulong)slot);
                Debug.Assert(queued, "there are fewer slots than entries");
            }

            if (_free == 0)
            {
                Enqueue(source);
            }
        }

        return !_signalArmed;
    }

    /// <summary>Announces that the thread sleeps, so that waking needs the signal; false if work arrived meanwhile.</summary>
    private bool TryIdle()
    {
        if (_free == 0)
        {
            return true;
        }

        Interlocked.Exchange(ref _sleeping, 1);
        lock (_gate)
        {
            return _sources.Count == 0;
        }
    }

    private void Complete(int slot, int result)
    {
        (DirectSource source, Block block) = (_slots[slot].Source!, _slots[slot].Block!);
        _slots[slot] = default;
        _freeSlots[_free++] = slot;
        source.OnRead(block, result);
        Enqueue(source);
    }

    private void Enqueue(DirectSource source)
    {
        lock (_gate)
        {
            if (!source.WaitsForRing)
            {
                source.WaitsForRing = true;
                _sources.Enqueue(source);
            }
        }
    }

    private bool TryTakeSource([NotNullWhen(true)] out DirectSource? source)
    {
        lock (_gate)
        {
            if (!_sources.TryDequeue(out source))
            {
                return false;
            }

            source.WaitsForRing = false;
            return true;
        }
    }

    /// <summary>
    /// The kernel no longer answers. Blocks in flight are lost, memory included, since it may still write to them;
    /// their readers start over at that place, on the thread pool.
    /// </summary>
    private void Break()
    {
        var lost = new Dictionary<DirectSource, int>();
        lock (_gate)
        {
            _broken = true;
            while (_sources.TryDequeue(out DirectSource? source))
            {
                source.WaitsForRing = false;
                lost[source] = 0;
            }
        }

        foreach (Slot slot in _slots)
        {
            if (slot.Source is { } source)
            {
                lost[source] = lost.GetValueOrDefault(source) + 1;
            }
        }

        foreach ((DirectSource source, int blocks) in lost)
        {
            source.Restart(blocks);
        }
    }

    private readonly record struct Slot(DirectSource? Source, Block? Block);
}
