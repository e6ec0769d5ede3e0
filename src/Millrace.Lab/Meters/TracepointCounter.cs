using System.ComponentModel;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Meters;

/// <summary>Every system call of a process, by the kernel's tracepoint. It makes each call some 100 ns slower.</summary>
[SupportedOSPlatform("linux")]
internal sealed class TracepointCounter : IDisposable
{
    public const string Source = "perf tracepoint raw_syscalls:sys_enter";

    private static readonly string[] Folders = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

    private readonly List<FileStream> _threads = [];

    private TracepointCounter()
    {
    }

    /// <param name="process">Whose calls it counts; null for this process.</param>
    public static TracepointCounter? TryOpen(out string? reason, int? process = null)
    {
        if (!PerfEvents.IsKnown)
        {
            reason = $"perf_event_open is not set up for {RuntimeInformation.ProcessArchitecture}";
            return null;
        }

        string? id = Folders.Select(folder => $"{folder}/events/raw_syscalls/sys_enter/id").FirstOrDefault(File.Exists);
        if (id is null)
        {
            reason = "the tracepoint raw_syscalls:sys_enter is not visible to this user; as root, "
                + $"`mount -t tracefs nodev {Folders[0]}` makes it so";
            return null;
        }

        var counter = new TracepointCounter();
        try
        {
            ulong tracepoint = ulong.Parse(File.ReadAllText(id), CultureInfo.InvariantCulture);
            string whose = process?.ToString(CultureInfo.InvariantCulture) ?? "self";
            foreach (string thread in Directory.EnumerateDirectories($"/proc/{whose}/task"))
            {
                counter.Add(tracepoint, int.Parse(Path.GetFileName(thread), CultureInfo.InvariantCulture));
            }

            reason = null;
            return counter;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or Win32Exception)
        {
            counter.Dispose();
            reason = $"the kernel does not permit to count the tracepoint raw_syscalls:sys_enter ({exception.Message})";
            return null;
        }
    }

    /// <summary>The count so far, of all threads, what counting itself calls included.</summary>
    public long Read()
    {
        Span<byte> count = stackalloc byte[sizeof(long)];
        long total = 0;
        foreach (FileStream thread in _threads)
        {
            thread.ReadExactly(count);
            total += BitConverter.ToInt64(count);
        }

        return total;
    }

    public void Dispose()
    {
        foreach (FileStream thread in _threads)
        {
            thread.Dispose();
        }
    }

    private void Add(ulong tracepoint, int thread)
    {
        SafeFileHandle handle = PerfEvents.Open(tracepoint, thread);
        if (!handle.IsInvalid)
        {
            _threads.Add(new FileStream(handle, FileAccess.Read, bufferSize: 0));
            return;
        }

        // A thread that has ended since it was listed is skipped.
        const int NoSuchProcess = 3;
        int error = Marshal.GetLastPInvokeError();
        handle.Dispose();
        if (error != NoSuchProcess)
        {
            throw new Win32Exception(error);
        }
    }
}
