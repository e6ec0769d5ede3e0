using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Takes read leases on files and sees to it that a break is answered within milliseconds, whatever the rest of the
/// process does: by a dedicated thread that waits for the kernel's signal. Thread-safe.
/// </summary>
/// <remarks>
/// The signal goes to that thread alone, which keeps it blocked and takes it with <c>sigwaitinfo</c>: no handler is
/// installed and no other thread is interrupted. The thread runs from the first lease to the end of the process.
/// </remarks>
internal static class LeaseGuardian
{
    private const int StackBytes = 256 * 1024;

    private static readonly Lock Gate = new();
    private static readonly Dictionary<int, WeakReference<ILeaseHolder>> Holders = [];
    private static readonly Lazy<bool> Started = new(Start);
    private static ThreadSignals.SignalSet Signals;
    private static int Signal;
    private static int ThreadNumber;

    public static int Held
    {
        get
        {
            lock (Gate)
            {
                return Holders.Count;
            }
        }
    }

    /// <summary>Takes a lease. The handle stays open until <see cref="GiveUp"/>.</summary>
    /// <param name="file">The file.</param>
    /// <param name="holder">Known weakly: an undisposed one gives the lease up when it is finalized.</param>
    public static string? Take(SafeFileHandle file, ILeaseHolder holder)
    {
        if (!Started.Value)
        {
            return "no real-time signal is free to learn of writers";
        }

        bool added = false;
        file.DangerousAddRef(ref added);
        int descriptor = (int)file.DangerousGetHandle();
        int error;
        lock (Gate)
        {
            // A lease belongs to the open file description, not to the handle: a second reader would end the first one's.
            if (FileLease.IsUndisturbed(descriptor) || !Holders.TryAdd(descriptor, new WeakReference<ILeaseHolder>(holder)))
            {
                file.DangerousRelease();
                return "another reader of the same handle maps it";
            }

            error = FileLease.Take(descriptor, ThreadNumber, Signal);
            if (error == 0)
            {
                return null;
            }

            Holders.Remove(descriptor);
        }

        file.DangerousRelease();
        return error switch
        {
            Errno.Again => "it is open for writing",
            Errno.AccessDenied => "only the owner of a file gets a lease on it",
            Errno.InvalidArgument => "its file system grants no leases",
            _ => $"the system grants no lease (error {error})",
        };
    }

    public static void GiveUp(SafeFileHandle file)
    {
        int descriptor = (int)file.DangerousGetHandle();
        FileLease.GiveUp(descriptor);
        lock (Gate)
        {
            Holders.Remove(descriptor);
        }

        // Last: a number is given to the next file as soon as it is closed.
        file.DangerousRelease();
    }

    /// <summary>Whether no process has asked to write to a leased file.</summary>
    public static bool IsUndisturbed(SafeFileHandle file) =>
        FileLease.IsUndisturbed((int)file.DangerousGetHandle());

    private static bool Start()
    {
        Signal = ThreadSignals.ChooseUnused();
        if (Signal == 0)
        {
            return false;
        }

        Signals.Add(Signal);
        Signals.Add(ThreadSignals.Overflow);
        using var ready = new ManualResetEventSlim();
        var thread = new Thread(() => Run(ready), StackBytes)
        {
            IsBackground = true,
            Name = "Millrace lease guardian",
        };
        thread.Start();
        ready.Wait();
        return ThreadNumber != 0;
    }

    private static void Run(ManualResetEventSlim ready)
    {
        // Blocked before this thread is published: an unblocked real-time signal ends the process.
        bool can = ThreadSignals.TryBlock(Signals);
        ThreadNumber = can ? ThreadSignals.CurrentThread() : 0;
        can = ThreadNumber > 0;
        ready.Set();
        while (can)
        {
            int signal = ThreadSignals.Wait(Signals, out int descriptor);
            if (signal == Signal)
            {
                NotifyHolder(descriptor);
            }
            else if (signal == ThreadSignals.Overflow)
            {
                NotifyAllHolders();
            }
        }
    }

    private static void NotifyHolder(int descriptor)
    {
        ILeaseHolder? holder = null;
        lock (Gate)
        {
            _ = Holders.TryGetValue(descriptor, out WeakReference<ILeaseHolder>? known) && known.TryGetTarget(out holder);
        }

        holder?.OnBreak();
    }

    private static void NotifyAllHolders()
    {
        int[] descriptors;
        lock (Gate)
        {
            descriptors = [.. Holders.Keys];
        }

        foreach (int descriptor in descriptors)
        {
            NotifyHolder(descriptor);
        }
    }
}

/// <summary>A holder that relies on a file without writers.</summary>
internal interface ILeaseHolder
{
    /// <summary>
    /// A process wants to write to the file and waits until the lease is released. Called on the guardian's
    /// thread, which all files of the process share; may come without reason.
    /// </summary>
    void OnBreak();
}
