using Millrace.Lab.Suites.Small;

namespace Millrace.Lab.Suites.Syncing;

/// <summary>
/// The folders of the suite. The large file has three versions of different dates, each in another folder. A target that has one of them
/// gets another one, so that nothing has to be restored between two invocations.
/// </summary>
internal static class SyncFolders
{
    /// <summary>The only file of each folder.</summary>
    public const string FileName = "f";

    public const string First = "first";

    private const int BlockBytes = 32 * 1024;
    private const int BlocksForOneChange = 100;
    private const int PieceBytes = 1024 * 1024;

    private static readonly string[] Versions = [First, SyncSuite.Edited, SyncSuite.Inserted];

    public static string In(string data) => Path.Combine(data, "millrace-sync");

    public static string FolderOf(TestFile file) => Path.GetDirectoryName(file.Path)!;

    /// <summary>The folder of a server: the versions and folders to sync from, and those to sync into.</summary>
    public static string Served(string folder, bool isLinked, bool isDurable) =>
        Path.Combine(folder, $"served{(isLinked ? "-linked" : "")}{(isDurable ? "-durable" : "")}");

    /// <summary>A version of the large file, here and on each server.</summary>
    public static string NameOf(TestFile file, string version) => $"{version}-{ByteSize.ToText(file.Bytes, separator: "")}";

    /// <summary>The small files, here.</summary>
    public static string NameOfFiles(int count) => string.Create(CultureInfo.InvariantCulture, $"files-{count}");

    /// <summary>The folder that a case changes, below the server's folder or the client's.</summary>
    public static string TargetOf(SyncCase planned) => planned.Content == SyncSuite.Unchanged
        ? "unchanged-" + NameOfFiles(planned.Files)
        : planned.Files > 0 ? $"{planned.Method}-{NameOfFiles(planned.Files)}"
        : $"{planned.Method}-{planned.Direction}-{NameOf(planned.Source, planned.Content)}";

    /// <summary>The path of <see cref="TargetOf"/>.</summary>
    public static string TargetPath(SyncCase planned)
    {
        string folder = FolderOf(planned.Source);
        return Path.Combine(
            planned.IsUpload ? Served(folder, planned.IsLinked, planned.IsDurable) : Path.Combine(folder, planned.IsLinked ? "here-linked" : "here"),
            TargetOf(planned));
    }

    /// <summary>The version that a case moves next: one that its target does not have.</summary>
    public static string NextOf(SyncCase planned) =>
        planned.Content == SyncSuite.Whole || TimeOf(TargetPath(planned)) != TimeOf(SourcePath(planned, First)) ? First : planned.Content;

    public static string SourcePath(SyncCase planned, string version) =>
        Path.Combine(FolderOf(planned.Source), planned.Files > 0 ? NameOfFiles(planned.Files) : NameOf(planned.Source, version));

    /// <summary>Makes the versions of the large file, unless they are there.</summary>
    public static void MakeVersions(TestFile file)
    {
        for (int i = 0; i < Versions.Length; i++)
        {
            string path = Path.Combine(FolderOf(file), NameOf(file, Versions[i]), FileName);
            DateTime time = new(2020 + i, 1, 1, 0, 0, 0, DateTimeKind.Utc);
            long bytes = file.Bytes + (Versions[i] == SyncSuite.Inserted ? 1 : 0);
            if (File.Exists(path) && new FileInfo(path).Length == bytes && File.GetLastWriteTimeUtc(path) == time)
            {
                continue;
            }

            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            using (FileStream from = File.OpenRead(file.Path))
            using (FileStream to = File.Create(path))
            {
                if (Versions[i] == SyncSuite.Inserted)
                {
                    to.WriteByte((byte)'x');
                }

                from.CopyTo(to, PieceBytes);
                for (long at = BlockBytes / 2; Versions[i] == SyncSuite.Edited && at < bytes; at += (long)BlocksForOneChange * BlockBytes)
                {
                    to.Position = at;
                    to.Write("changed"u8);
                }
            }

            File.SetLastWriteTimeUtc(path, time);
        }
    }

    /// <summary>Makes the small files.</summary>
    public static void MakeFiles(string folder, int count)
    {
        string files = Path.Combine(folder, NameOfFiles(count));
        if (!Directory.Exists(files) || Directory.EnumerateFileSystemEntries(files).Count() != count)
        {
            SmallFolder.Fill(files, SyncSuite.SmallFileBytes, count);
        }
    }

    /// <summary>Puts the files to download, and those that are found unchanged, into a server's folder.</summary>
    public static void Furnish(string folder, string served)
    {
        Directory.CreateDirectory(served);
        foreach (string source in Directory.EnumerateDirectories(folder))
        {
            string name = Path.GetFileName(source);
            if (Versions.Any(version => name.StartsWith(version + "-", StringComparison.Ordinal)))
            {
                Copy(source, Path.Combine(served, name));
            }
            else if (name.StartsWith("files-", StringComparison.Ordinal))
            {
                Copy(source, Path.Combine(served, "unchanged-" + name));
            }
        }
    }

    public static void Clear(SyncCase planned)
    {
        string target = TargetPath(planned);
        if (Directory.Exists(target))
        {
            Directory.Delete(target, recursive: true);
        }
    }

    /// <summary>Puts the first version into a target that needs one for a delta.</summary>
    public static void Prepare(SyncCase planned)
    {
        string target = TargetPath(planned);
        if (planned.IsDelta && !File.Exists(Path.Combine(target, FileName)))
        {
            Copy(SourcePath(planned, First), target);
        }
        else if (!planned.IsUpload)
        {
            Directory.CreateDirectory(target);
        }
    }

    /// <exception cref="InvalidDataException">The target is not the same as the source, or has not got its date.</exception>
    public static void Verify(SyncCase planned)
    {
        if (planned.Direction is null || planned.Content == SyncSuite.Unchanged)
        {
            return;
        }

        string target = TargetPath(planned);
        if (planned.Files > 0)
        {
            SmallFolder.Verify(target, SyncSuite.SmallFileBytes, planned.Files);
            return;
        }

        DateTime time = TimeOf(target);
        string version = Versions.FirstOrDefault(one => TimeOf(SourcePath(planned, one)) == time)
            ?? throw new InvalidDataException($"{target} has the date {time:O}, which no version has");
        if (!IsSame(Path.Combine(target, FileName), Path.Combine(SourcePath(planned, version), FileName)))
        {
            throw new InvalidDataException($"{target} is not the same as the version {version}");
        }
    }

    private static DateTime TimeOf(string folder) => File.GetLastWriteTimeUtc(Path.Combine(folder, FileName));

    private static void Copy(string source, string target)
    {
        Directory.CreateDirectory(target);
        string[] names = [.. Directory.EnumerateFiles(source).Select(file => Path.GetFileName(file))];
        foreach (string name in names)
        {
            string copy = Path.Combine(target, name);
            string original = Path.Combine(source, name);
            if (!File.Exists(copy) || File.GetLastWriteTimeUtc(copy) != File.GetLastWriteTimeUtc(original))
            {
                File.Copy(original, copy, overwrite: true);
                File.SetLastWriteTimeUtc(copy, File.GetLastWriteTimeUtc(original));
            }
        }
    }

    private static bool IsSame(string one, string other)
    {
        using FileStream first = File.OpenRead(one);
        using FileStream second = File.OpenRead(other);
        byte[] left = new byte[PieceBytes];
        byte[] right = new byte[PieceBytes];
        while (true)
        {
            int read = first.ReadAtLeast(left, left.Length, throwOnEndOfStream: false);
            if (second.ReadAtLeast(right, right.Length, throwOnEndOfStream: false) != read || !left.AsSpan(0, read).SequenceEqual(right.AsSpan(0, read)))
            {
                return false;
            }

            if (read == 0)
            {
                return true;
            }
        }
    }
}
