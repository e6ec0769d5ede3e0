using System.Buffers.Binary;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// A folder that followers watch together. A user has few instances of the system's notifier (128 of inotify), and every
/// <see cref="FileSystemWatcher"/> takes one: on Linux the process has one for all folders, elsewhere each folder has one.
/// Thread-safe.
/// </summary>
internal sealed class FolderWatch
{
    private const int StackBytes = 128 * 1024;

    private static readonly Lock Gate = new();
    private static readonly Dictionary<object, FolderWatch> Watches = [];
    private static readonly Lazy<SafeFileHandle?> Instance = new(Start);

    private static readonly StringComparison NameComparison =
        OperatingSystem.IsLinux() ? StringComparison.Ordinal : StringComparison.OrdinalIgnoreCase;

    private readonly object _key;
    private readonly FileSystemWatcher? _watcher;
    private readonly List<FollowWatcher> _followers = [];

    private FolderWatch(object key, FileSystemWatcher? watcher)
    {
        _key = key;
        _watcher = watcher;
        if (watcher is not null)
        {
            watcher.Changed += (_, change) => Tell(change.Name);
            watcher.Created += (_, change) => Tell(change.Name);
            watcher.Deleted += (_, change) => Tell(change.Name);
            watcher.Renamed += (_, change) =>
            {
                Tell(change.OldName);
                Tell(change.Name);
            };
        }
    }

    /// <returns>Null where a folder cannot be watched: the follower's timer alone is late, not wrong.</returns>
    public static FolderWatch? TryJoin(string folder, bool native, FollowWatcher follower)
    {
        FolderWatch? watch;
        bool isNew = false;
        try
        {
            lock (Gate)
            {
                object key = folder;
                if (native && Instance.Value is { } instance)
                {
                    int number = FolderNotices.Watch(instance, folder);
                    if (number < 0)
                    {
                        return null;
                    }

                    key = number;
                }

                if (!Watches.TryGetValue(key, out watch))
                {
                    isNew = true;
                    watch = new FolderWatch(key, key is string ? new FileSystemWatcher(folder) : null);
                    Watches.Add(key, watch);
                }

                watch._followers.Add(follower);
            }
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            return null;
        }

        // Without the lock: the watcher has its own, which it may hold while it raises an event.
        if (isNew && watch._watcher is { } watcher && !TryBegin(watcher))
        {
            watch.Leave(follower);
            return null;
        }

        return watch;
    }

    public void Leave(FollowWatcher follower)
    {
        lock (Gate)
        {
            _followers.Remove(follower);
            if (_followers.Count > 0)
            {
                return;
            }

            Watches.Remove(_key);
            if (_key is int number)
            {
                FolderNotices.Unwatch(Instance.Value!, number);
            }
        }

        _watcher?.Dispose();
    }

    private static bool TryBegin(FileSystemWatcher watcher)
    {
        try
        {
            watcher.NotifyFilter = NotifyFilters.FileName | NotifyFilters.LastWrite | NotifyFilters.Size;
            watcher.EnableRaisingEvents = true;
            return true;
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            return false;
        }
    }

    private static bool IsRefusal(Exception exception) =>
        exception is IOException or ArgumentException or PlatformNotSupportedException or UnauthorizedAccessException;

    private static SafeFileHandle? Start()
    {
        SafeFileHandle? instance = FolderNotices.TryCreate();
        if (instance is not null)
        {
            var thread = new Thread(() => Listen(instance), StackBytes) { IsBackground = true, Name = "Millrace folder notices" };
            thread.UnsafeStart();
        }

        return instance;
    }

    /// <summary>Runs to the end of the process.</summary>
    private static void Listen(SafeFileHandle instance)
    {
        byte[] buffer = new byte[16 * 1024];
        while (true)
        {
            ReadOnlySpan<byte> notices = buffer.AsSpan(0, StreamRead.Read(instance, buffer));
            while (notices.Length >= FolderNotices.HeaderBytes)
            {
                int number = BinaryPrimitives.ReadInt32LittleEndian(notices);
                uint mask = BinaryPrimitives.ReadUInt32LittleEndian(notices[4..]);
                int length = BinaryPrimitives.ReadInt32LittleEndian(notices[12..]);
                ReadOnlySpan<byte> name = notices.Slice(FolderNotices.HeaderBytes, length).TrimEnd((byte)0);
                notices = notices[(FolderNotices.HeaderBytes + length)..];
                if ((mask & FolderNotices.Overflow) != 0)
                {
                    TellAll();
                }
                else if (Find(number) is { } watch)
                {
                    watch.Tell(Encoding.UTF8.GetString(name));
                }
            }
        }
    }

    private static FolderWatch? Find(int number)
    {
        lock (Gate)
        {
            return Watches.GetValueOrDefault(number);
        }
    }

    private static void TellAll()
    {
        lock (Gate)
        {
            foreach (FollowWatcher follower in Watches.Values.SelectMany(watch => watch._followers))
            {
                follower.Wake();
            }
        }
    }

    private void Tell(string? name)
    {
        lock (Gate)
        {
            foreach (FollowWatcher follower in _followers)
            {
                if (string.Equals(name, follower.Name, NameComparison))
                {
                    follower.Wake();
                }
            }
        }
    }
}
