using System.Buffers.Binary;

namespace Millrace.Lab.Suites.Small;

/// <summary>Folders of small files that begin with their number, a 64-bit integer, and are zero otherwise.</summary>
internal static class SmallFolder
{
    /// <summary>The lengths of all files are multiples of this, in bytes.</summary>
    public const long Unit = SmallSuite.Smallest;

    public static string In(string data) => Path.Combine(data, "millrace-small");

    public static string Of(string data, string use, long bytes) => Path.Combine(data, bytes == 0 ? use : $"{use}-{ByteSize.ToText(bytes, separator: "")}");

    public static string[] Paths(string folder, int count) =>
        [.. Enumerable.Range(0, count).Select(index => Path.Combine(folder, index.ToString(CultureInfo.InvariantCulture)))];

    public static void Fill(string folder, long bytes, int count)
    {
        Directory.CreateDirectory(folder);
        byte[] content = new byte[bytes];
        string[] paths = Paths(folder, count);
        for (int index = 0; index < count; index++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(content, index);
            File.WriteAllBytes(paths[index], content);
        }
    }

    /// <exception cref="InvalidDataException">A file is missing, or is another one.</exception>
    public static void Verify(string folder, long bytes, int count)
    {
        string[] paths = Paths(folder, count);
        for (int index = 0; index < count; index++)
        {
            byte[] content = File.Exists(paths[index]) ? File.ReadAllBytes(paths[index]) : [];
            if (content.Length != bytes || BinaryPrimitives.ReadInt64LittleEndian(content) != index)
            {
                throw new InvalidDataException($"{paths[index]} has {content.Length} bytes and not the {bytes} that were written");
            }
        }

        int entries = Directory.EnumerateFileSystemEntries(folder).Count();
        if (entries != count)
        {
            throw new InvalidDataException($"{folder} has {entries} entries after {count} files were written");
        }
    }
}

/// <summary>Has all files of a case in the page cache, or none of them.</summary>
internal sealed class SmallReadState(SmallCase planned) : CaseState(planned, cache: null)
{
    private bool _hot;

    public override string? Prepare()
    {
        if (planned.State == CacheState.Cold && OperatingSystem.IsLinux())
        {
            return Drop();
        }

        if (!_hot)
        {
            foreach (string path in SmallFolder.Paths(planned.Folder, planned.Count))
            {
                _ = File.ReadAllBytes(path);
            }

            _hot = true;
        }

        return null;
    }

    [SupportedOSPlatform("linux")]
    private string? Drop()
    {
        int resident = 0;
        foreach (string path in SmallFolder.Paths(planned.Folder, planned.Count))
        {
            using var view = new PageCacheView(path);
            view.Drop();
            resident += view.ResidentFraction() > 0 ? 1 : 0;
        }

        return resident == 0 ? null : $"not cold: {resident} of {planned.Count} files were still in the page cache";
    }
}
