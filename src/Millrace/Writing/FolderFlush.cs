using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>
/// Makes the names in a folder durable, once for all threads that wait for it at the same time: a flush that begins after a rename covers that
/// rename. Without this, each file that is published beside others has the device flush its cache once more. Thread-safe.
/// </summary>
internal static class FolderFlush
{
    /// <summary>The folders that are being flushed.</summary>
    private static readonly Dictionary<(uint Major, uint Minor, ulong Inode), Flushing> Open = [];

    /// <summary>Flushes a folder whose names have been changed.</summary>
    /// <param name="folder">The folder.</param>
    /// <returns>0, or the error number; a file system that has nothing to flush counts as done.</returns>
    public static int Run(SafeFileHandle folder) => Run(folder, Folder.Flush);

    /// <summary>The same with the flush given.</summary>
    internal static int Run(SafeFileHandle folder, Func<SafeFileHandle, int> flush)
    {
        if (StatX.TryGet(folder, out StatX status) != 0)
        {
            return flush(folder);
        }

        (uint, uint, ulong) key = (status.DeviceMajor, status.DeviceMinor, status.Inode);
        Flushing flushing;
        lock (Open)
        {
            ref Flushing? found = ref CollectionsMarshal.GetValueRefOrAddDefault(Open, key, out _);
            flushing = found ??= new Flushing();
            flushing.Users++;
        }

        try
        {
            return flushing.Run(folder, flush);
        }
        finally
        {
            lock (Open)
            {
                if (--flushing.Users == 0)
                {
                    Open.Remove(key);
                }
            }
        }
    }

    /// <summary>Threads that wait for a folder; for tests.</summary>
    internal static int WaitingFor(SafeFileHandle folder)
    {
        _ = StatX.TryGet(folder, out StatX status);
        lock (Open)
        {
            return Open.GetValueOrDefault((status.DeviceMajor, status.DeviceMinor, status.Inode))?.Waiting ?? 0;
        }
    }

    private sealed class Flushing
    {
        private readonly object _lock = new();
        private long _begun;
        private long _done;
        private long _failures;
        private bool _isRunning;

        /// <summary>Threads that flush or wait; protected by <see cref="Open"/>.</summary>
        public int Users { get; set; }

        /// <summary>Threads that wait; for tests.</summary>
        public int Waiting { get; private set; }

        public int Run(SafeFileHandle folder, Func<SafeFileHandle, int> flush)
        {
            lock (_lock)
            {
                // The one that is running now may have begun before the rename.
                long needed = _begun + 1;

                // The kernel reports an error once to each that has the folder open: after one, everybody flushes for itself.
                long failures = _failures;
                while (_isRunning && (_done < needed || _failures != failures))
                {
                    Waiting++;
                    Monitor.Wait(_lock);
                    Waiting--;
                }

                if (_done >= needed && _failures == failures)
                {
                    return 0;
                }

                _isRunning = true;
                _begun++;
            }

            int error = -1;
            try
            {
                return error = flush(folder);
            }
            finally
            {
                lock (_lock)
                {
                    _isRunning = false;
                    _done = error == 0 ? _begun : _done;
                    _failures += error == 0 ? 0 : 1;
                    Monitor.PulseAll(_lock);
                }
            }
        }
    }
}
