using System.Text.RegularExpressions;

namespace Millrace.Lab.Machine;

/// <summary>The file system that a path is on.</summary>
/// <param name="Type">For example "ext4"; "unknown" where the system does not say.</param>
/// <param name="Options">Mount options and the file system's own, for example "rw,relatime; discard".</param>
internal sealed record MountInfo(string Type, string Options)
{
    private const string MountTable = "/proc/self/mountinfo";

    /// <summary>Finds the file system of a path, which need not exist.</summary>
    public static MountInfo Of(string path)
    {
        string full = Path.GetFullPath(path);
        if (File.Exists(MountTable))
        {
            return Find(File.ReadLines(MountTable), ResolveLinks(full)) ?? new MountInfo("unknown", "");
        }

        DriveInfo? drive = DriveInfo.GetDrives()
            .Where(drive => full.StartsWith(drive.Name, StringComparison.OrdinalIgnoreCase))
            .MaxBy(drive => drive.Name.Length);
        return new MountInfo(drive is { IsReady: true } ? drive.DriveFormat : "unknown", "");
    }

    /// <summary>Reads the table that proc_pid_mountinfo(5) describes; the last of equally deep mounts is on top.</summary>
    public static MountInfo? Find(IEnumerable<string> table, string path)
    {
        MountInfo? found = null;
        int depth = -1;
        foreach (string line in table)
        {
            // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
            string[] halves = line.Split(" - ", 2);
            string[] left = halves[0].Split(' ');
            string[] right = halves.Length == 2 ? halves[1].Split(' ') : [];
            if (left.Length < 6 || right.Length < 3)
            {
                continue;
            }

            string point = Unescape(left[4]);
            if (point.Length >= depth && IsUnder(path, point))
            {
                depth = point.Length;
                found = new MountInfo(right[0], $"{left[5]}; {right[2]}");
            }
        }

        return found;
    }

    private static bool IsUnder(string path, string point) =>
        point == "/" || path == point || (path.StartsWith(point, StringComparison.Ordinal) && path[point.Length] == '/');

    private static string ResolveLinks(string path)
    {
        string? existing = path;
        while (existing is not null && !File.Exists(existing) && !Directory.Exists(existing))
        {
            existing = Path.GetDirectoryName(existing);
        }

        if (existing is null)
        {
            return path;
        }

        // A link may sit anywhere in the path: follow from the root down.
        string resolved = "/";
        foreach (string part in existing.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            string next = Path.Combine(resolved, part);
            FileSystemInfo info = Directory.Exists(next) ? new DirectoryInfo(next) : new FileInfo(next);
            resolved = info.ResolveLinkTarget(returnFinalTarget: true)?.FullName ?? next;
        }

        return resolved;
    }

    // Spaces and the like are written as \040.
    private static string Unescape(string text) =>
        Regex.Replace(text, @"\\([0-7]{3})", code => ((char)Convert.ToInt32(code.Groups[1].Value, 8)).ToString());
}
