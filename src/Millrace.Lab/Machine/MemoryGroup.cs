namespace Millrace.Lab.Machine;

/// <summary>
/// A control group with little memory, which this process joins for a while: the pages that it then adds to the page cache count for the group.
/// Needs the right to create groups, as root has it. Not thread-safe.
/// </summary>
/// <remarks>https://docs.kernel.org/admin-guide/cgroup-v2.html#memory, and the memory controller of version 1.</remarks>
internal sealed class MemoryGroup : IDisposable
{
    private const string Root = "/sys/fs/cgroup";
    private const string Members = "cgroup.procs";

    private readonly string _path;
    private readonly string _home;

    private MemoryGroup(string path, string home)
    {
        _path = path;
        _home = home;
    }

    /// <summary>Why no group can be created; null if one can.</summary>
    public static string? WhyNot()
    {
        try
        {
            Create(1L << 30).Dispose();
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return $"they need a control group with little memory, as root on Linux may make it ({exception.Message.TrimEnd('.')})";
        }
    }

    /// <param name="bytes">How much memory it has, page cache included.</param>
    /// <exception cref="IOException">There can be none; <see cref="UnauthorizedAccessException"/> likewise.</exception>
    public static MemoryGroup Create(long bytes)
    {
        bool isSecond = File.Exists($"{Root}/cgroup.controllers");
        string tree = isSecond ? Root : $"{Root}/memory";
        if (!Directory.Exists(tree))
        {
            throw new DirectoryNotFoundException($"{tree} does not exist");
        }

        string path = Path.Combine(tree, $"millrace-lab-{Environment.ProcessId}-{Guid.NewGuid():N}");
        Directory.CreateDirectory(path);
        var group = new MemoryGroup(path, tree + HomeOf(File.ReadLines("/proc/self/cgroup"), isSecond));
        try
        {
            Write(Path.Combine(path, isSecond ? "memory.max" : "memory.limit_in_bytes"), bytes);
            return group;
        }
        catch
        {
            group.Dispose();
            throw;
        }
    }

    /// <summary>The group of this process, which proc_pid_cgroup(5) lists as NUMBER:CONTROLLERS:PATH.</summary>
    public static string HomeOf(IEnumerable<string> list, bool isSecond) =>
        list.Select(line => line.Split(':', 3))
            .FirstOrDefault(parts => isSecond ? parts[0] == "0" : parts[1].Split(',').Contains("memory"))?[2] ?? "/";

    public void Enter() => Write(Path.Combine(_path, Members), Environment.ProcessId);

    public void Leave() => Write(Path.Combine(_home, Members), Environment.ProcessId);

    /// <remarks>The kernel keeps the group, hidden, until the last page that it has added is gone.</remarks>
    public void Dispose()
    {
        if (Directory.Exists(_path))
        {
            Directory.Delete(_path);
        }
    }

    private static void Write(string path, long value) => File.WriteAllText(path, value.ToString(CultureInfo.InvariantCulture));
}
