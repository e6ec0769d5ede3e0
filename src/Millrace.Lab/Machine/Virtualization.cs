namespace Millrace.Lab.Machine;

/// <summary>Whether the process runs in a container.</summary>
internal static class Virtualization
{
    // Set by .NET's own images, by systemd-nspawn and by podman.
    private static readonly string[] Variables = ["DOTNET_RUNNING_IN_CONTAINER", "container"];

    // Files that container engines put into the root, and parts of the names of their control groups.
    private static readonly (string File, string Name)[] Marks = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];

    private static readonly string[] ControlGroups = ["docker", "kubepods", "libpod", "lxc", "containerd"];

    /// <summary>The container's kind where it shows itself; null where nothing does.</summary>
    public static string? Container()
    {
        foreach ((string file, string name) in Marks)
        {
            if (File.Exists(file))
            {
                return name;
            }
        }

        string groups = ReadAll("/proc/self/cgroup");
        string? group = Array.Find(ControlGroups, name => groups.Contains(name, StringComparison.Ordinal));
        return group ?? (Array.Exists(Variables, name => Environment.GetEnvironmentVariable(name) is { Length: > 0 })
            ? "unknown kind"
            : null);
    }

    private static string ReadAll(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllText(path) : "";
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
