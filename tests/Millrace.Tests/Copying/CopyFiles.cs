using Microsoft.Win32.SafeHandles;
using Millrace.Copying;
using Millrace.Interop;

namespace Millrace.Tests.Copying;

/// <summary>Helpers for the tests of copying.</summary>
internal static class CopyFiles
{
    /// <summary>Nothing waits for the device unless a test is about that.</summary>
    public static FileCopyOptions Options { get; } = new() { Durability = Durability.None };

    /// <summary>Every method, with its <see cref="CopyResult.Method"/> on a file system that cannot share blocks.</summary>
    public static TheoryData<string, string> Ways => new()
    {
        { nameof(CopyMethods.All), NativeFeatures.Linux ? "copy_file_range" : "read and write" },
        { nameof(CopyMethods.Kernel), NativeFeatures.Linux ? "copy_file_range" : "read and write" },
        { nameof(CopyMethods.ReadAndWrite), "read and write" },
    };

    public static TheoryData<string> WayNames => [nameof(CopyMethods.All), nameof(CopyMethods.Kernel), nameof(CopyMethods.ReadAndWrite)];

    public static ValueTask<CopyResult> CopyAsync(
        string source,
        string destination,
        FileCopyOptions options,
        string ways,
        IProgress<FileCopyProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        new FileCopier(source, destination, options, progress, Enum.Parse<CopyMethods>(ways)).RunAsync(cancellationToken);

    /// <summary>A file with data in some places only. The times lie in the past.</summary>
    public static void WriteSparse(string path, long length, params (long Start, int Length)[] data)
    {
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write))
        {
            RandomAccess.SetLength(file, length);
            foreach ((long start, int bytes) in data)
            {
                RandomAccess.Write(file, TestContent.Of(bytes).Span, start);
            }

            // Until it is on the device a file system may not have decided where its holes are.
            RandomAccess.FlushToDisk(file);
        }

        File.SetLastWriteTimeUtc(path, new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
    }

    /// <summary>Where a file has data, according to the file system.</summary>
    public static IReadOnlyList<(long Start, long End)> DataOf(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite);
        RandomAccess.FlushToDisk(file);
        long length = RandomAccess.GetLength(file);
        var map = new List<(long Start, long End)>();
        for (long at = 0; DataMap.TryFind(file, at, length, out long start, out long end); at = end)
        {
            map.Add((start, end));
        }

        return map;
    }

    /// <summary>Whether two files have the same bytes, read in pieces.</summary>
    public static void AssertSame(string expected, string actual)
    {
        using FileStream one = File.OpenRead(expected);
        using FileStream other = File.OpenRead(actual);
        Assert.Equal(one.Length, other.Length);
        byte[] a = new byte[1024 * 1024];
        byte[] b = new byte[a.Length];
        while (true)
        {
            int read = one.ReadAtLeast(a, a.Length, throwOnEndOfStream: false);
            Assert.Equal(read, other.ReadAtLeast(b, b.Length, throwOnEndOfStream: false));
            Assert.True(a.AsSpan(0, read).SequenceEqual(b.AsSpan(0, read)), $"different before offset {one.Position}");
            if (read == 0)
            {
                return;
            }
        }
    }
}
