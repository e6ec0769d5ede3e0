using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Millrace.Testing;

/// <summary>Tells which needs of a test this machine does not meet, and how to meet them.</summary>
public static class Needs
{
    /// <summary>Where Debian's package has it.</summary>
    public const string MuslLibrary = "/lib/ld-musl-x86_64.so.1";

    /// <summary>What eng/publish.sh makes.</summary>
    public static readonly string Published = Path.Combine(Repository.Root, "artifacts", "release");

    private static readonly string Built = Path.Combine(Repository.Root, "artifacts", "grpc");
    private static readonly string Interop = Path.Combine(Repository.Root, "tests", "interop");

    private static readonly Dictionary<Need, Lazy<string?>> Reasons = new()
    {
        [Need.Unix] = Reason(() => !OperatingSystem.IsWindows(), "Windows has no FIFOs, signals or file modes, allows fewer names, and locks others out of open files and their folders."),
        [Need.Linux] = Reason(OperatingSystem.IsLinux, "Uses calls or files that only Linux has."),
        [Need.Native] = Reason(
            () => OperatingSystem.IsLinux() && Environment.Is64BitProcess && Environment.GetEnvironmentVariable("MILLRACE_PORTABLE") is not ("1" or "true")
                && Environment.GetEnvironmentVariable("MILLRACE_MISSING") != "all",
            "Uses Linux's own calls, which this run does without."),
        [Need.Root] = Reason(() => Environment.IsPrivilegedProcess, "Only root may do this."),
        [Need.Mount] = Reason(CanMount, "Mounts a file system, which only root on Linux may, and not in every container."),
        [Need.Ext4] = Reason(() => IsInstalled("mkfs.ext4"), "Needs mkfs.ext4: apt-get install e2fsprogs."),
        [Need.Xfs] = Reason(() => IsInstalled("mkfs.xfs"), "Needs mkfs.xfs: apt-get install xfsprogs."),
        [Need.Btrfs] = Reason(() => IsInstalled("mkfs.btrfs"), "Needs mkfs.btrfs: apt-get install btrfs-progs."),
        [Need.Bash] = Reason(() => !OperatingSystem.IsWindows() && IsInstalled("bash"), "Needs bash, which Windows has only for another system: apt-get install bash."),
        [Need.Curl] = Reason(() => OperatingSystem.IsLinux() && IsInstalled("curl"), "Needs curl with HTTP/2 and brotli, as Linux has it: apt-get install curl."),
        [Need.Wget] = Reason(() => IsInstalled("wget"), "Needs wget: apt-get install wget."),
        [Need.Aria2] = Reason(() => IsInstalled("aria2c"), "Needs aria2c: apt-get install aria2."),
        [Need.Rclone] = Reason(() => IsInstalled("rclone"), "Needs rclone: apt-get install rclone."),
        [Need.Rsync] = Reason(() => IsInstalled("rsync"), "Needs rsync: apt-get install rsync."),
        [Need.NodeClients] = Reason(
            () => IsInstalled("node") && Directory.Exists(Path.Combine(Interop, "node_modules")),
            "Needs Node (apt-get install nodejs npm) and its packages (npm ci --prefix tests/interop)."),
        [Need.Tuspy] = Reason(
            () => Runs("/usr/bin/python3", "-c", "import tusclient"), "Needs tuspy: apt-get install python3-tuspy."),
        [Need.GrpcPeers] = Reason(
            () => IsBuilt("python.made") && Directory.Exists(Path.Combine(Interop, "grpc", "node_modules")),
            "Needs the gRPC programs in Python and Node: run eng/grpc.sh, which names the packages it lacks."),
        [Need.Release] = Reason(() => Repository.Configuration == "Release", "Counts allocations: dotnet test -c Release."),
        [Need.Musl] = Reason(() => File.Exists(MuslLibrary) && IsInstalled("nm"), "Needs musl and nm: apt-get install musl binutils."),
        [Need.Compiler] = Reason(() => IsInstalled("gcc"), "Needs gcc: apt-get install g++."),
        [Need.Arm64] = Reason(
            () => IsInstalled("aarch64-linux-gnu-gcc") && IsInstalled("qemu-aarch64-static"),
            "Needs a compiler and an emulator for arm64: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static."),
        [Need.Namespaces] = Reason(
            () => IsInstalled("ip") && Runs("unshare", "--net", "true"),
            "Makes network namespaces, which takes root and iproute2, and is not allowed in every container."),
        [Need.Published] = Reason(
            () => File.Exists(Path.Combine(Published, "SHA256SUMS")), "Needs a release in artifacts/release: run eng/publish.sh linux-x64."),
        [Need.Debian] = Reason(
            () => IsInstalled("dpkg-deb") && IsInstalled("lintian") && IsInstalled("groff") && IsInstalled("systemd-analyze"),
            "Needs dpkg, lintian and systemd-analyze: apt-get install file groff-base lintian man-db systemd."),
        [Need.Wine] = Reason(
            () => !OperatingSystem.IsWindows() || !NativeLibrary.TryGetExport(NativeLibrary.Load("ntdll.dll"), "wine_get_version", out _),
            "Wine 8"),
        [Need.Links] = Reason(CanLink, "Makes symbolic links, which Windows lets developers and administrators do, and Wine 8 does not."),
        [Need.LoadTools] = Reason(
            () => IsInstalled("h2load") && IsInstalled("nghttp") && IsInstalled("wrk") && IsInstalled("hey") && IsInstalled("slowhttptest"),
            "Needs load generators: apt-get install hey nghttp2-client slowhttptest wrk."),
        [Need.Ceph] = Reason(
            () => IsInstalled("ceph-mon") && IsInstalled("ceph-osd") && IsInstalled("radosgw") && IsInstalled("radosgw-admin")
                && IsInstalled("s3cmd"),
            "Needs Ceph's object gateway and s3cmd: apt-get install ceph-mon ceph-osd radosgw s3cmd."),
        [Need.Nginx] = Reason(() => IsInstalled("nginx"), "Needs nginx: apt-get install nginx."),
        [Need.Proxies] = Reason(
            () => IsInstalled("apache2") && IsInstalled("caddy") && IsInstalled("haproxy"),
            "Needs proxies: apt-get install apache2-bin caddy haproxy."),
        [Need.Unpackers] = Reason(
            () => OperatingSystem.IsLinux() && IsInstalled("python3") && IsInstalled("bsdtar") && IsInstalled("unzip") && IsInstalled("busybox")
                && IsInstalled("7zz") && IsInstalled("java"),
            "Needs programs that unpack: apt-get install 7zip busybox default-jre-headless libarchive-tools python3 unzip."),
        [Need.DavClients] = Reason(
            () => IsInstalled("litmus") && IsInstalled("cadaver") && IsInstalled("rclone"), "Needs clients of WebDAV: apt-get install cadaver litmus rclone."),
        [Need.DavMount] = Reason(
            () => File.Exists("/usr/sbin/mount.davfs") && File.Exists("/dev/fuse") && CanMount(),
            "Mounts by davfs2, which takes root and FUSE: apt-get install davfs2."),
        [Need.Lftp] = Reason(() => IsInstalled("lftp"), "Needs lftp: apt-get install lftp."),
        [Need.Swift] = Reason(
            () => !OperatingSystem.IsWindows() && (IsInstalled("swiftc") || File.Exists(Path.Combine(Cache, "millrace", "swift", "swiftc"))),
            "Needs Swift: https://www.swift.org/install, or eng/swift.sh on Debian."),
        [Need.Trace] = Reason(CanTrace, "Traces system calls: apt-get install python3, and allow ptrace in the container."),
    };

    /// <returns>Why a test with these needs cannot run here; null when it can.</returns>
    public static string? Missing(Need needs, string? wine = null)
    {
        if (needs.HasFlag(Need.Wine) != (wine is not null))
        {
            throw new ArgumentException("A test that Wine cannot run needs a reason, and only such a test has one.", nameof(wine));
        }

        string[] missing =
        [
            .. from entry in Reasons
               where needs.HasFlag(entry.Key)
               let reason = entry.Value.Value
               where reason is not null
               select entry.Key == Need.Wine ? $"{reason} {wine}." : reason,
        ];
        return missing.Length == 0 ? null : string.Join(' ', missing);
    }

    private static string Cache => Environment.GetEnvironmentVariable("XDG_CACHE_HOME") is { } cache && Path.IsPathRooted(cache)
        ? cache
        : Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".cache");

    private static Lazy<string?> Reason(Func<bool> isMet, string reason) => new(() => isMet() ? null : reason);

    private static bool IsInstalled(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Concat(OperatingSystem.IsWindows() ? [] : (string[])["/usr/sbin"])
        .Any(folder => File.Exists(Path.Combine(folder, program)) || File.Exists(Path.Combine(folder, program + ".exe")));

    // Wine sees the programs of Linux, too, and waits for them for ever.
    private static bool IsBuilt(string name) => !OperatingSystem.IsWindows() && File.Exists(Path.Combine(Built, name));

    private static bool Runs(string program, params string[] arguments) => !OperatingSystem.IsWindows() && Shell.TryRun(program, arguments);

    private static bool CanTrace()
    {
        if (!OperatingSystem.IsLinux())
        {
            return false;
        }

        using var folder = new TemporaryFolder();
        var start = new ProcessStartInfo("true");
        TracedCalls.Trace(start, folder["log"], folder.Path);
        return Shell.TryRun(start.FileName, [.. start.ArgumentList]);
    }

    private static bool CanLink()
    {
        using var folder = new TemporaryFolder();
        try
        {
            return File.CreateSymbolicLink(folder["link"], "file").LinkTarget == "file";
        }
        catch (IOException)
        {
            return false;
        }
    }

    private static bool CanMount()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
        {
            return false;
        }

        using var folder = new TemporaryFolder();
        return Shell.TryRun("mount", "-t", "tmpfs", "-o", "size=64k", "millrace-tests", folder.Path)
            && Shell.TryRun("umount", folder.Path);
    }
}
