using System.Collections.Concurrent;

namespace Millrace.Tests.Infrastructure;

/// <summary>The folder of this run: files with a content of their own, and files that tests share because none writes.</summary>
internal static class TestFolder
{
    private static readonly ConcurrentDictionary<int, Lazy<string>> Shared = new();
    private static int Created;

    /// <summary>Where files are put; gone when the process ends.</summary>
    public static string Root { get; } = CreateRoot();

    /// <summary>A name that no other test uses.</summary>
    public static string NewPath(string extension = ".bin") =>
        Path.Combine(Root, $"{Interlocked.Increment(ref Created)}{extension}");

    /// <summary>A file of the first <paramref name="length"/> bytes of <see cref="TestContent"/>, not to be written to.</summary>
    public static string SharedFile(int length) =>
        Shared.GetOrAdd(length, static bytes => new Lazy<string>(() => Write(TestContent.Of(bytes).Span))).Value;

    /// <summary>A file of its own, whose time of modification lies in the past so that any write is seen to change it.</summary>
    public static string NewFile(int length) => Write(TestContent.Of(length).Span);

    private static string Write(ReadOnlySpan<byte> content)
    {
        string path = NewPath();
        using (FileStream stream = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0))
        {
            stream.Write(content);
        }

        File.SetLastWriteTimeUtc(path, new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
        return path;
    }

    private static string CreateRoot()
    {
        string root = Directory.CreateTempSubdirectory("millrace-tests-").FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(root, recursive: true);
        return root;
    }
}
