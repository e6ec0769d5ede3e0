using System.Collections.Concurrent;

namespace Millrace.Tests.Infrastructure;

/// <summary>The folder of this run: new files, and files that tests share because none writes.</summary>
internal static class TestFolder
{
    private const string Prefix = "millrace-tests-";

    private static readonly ConcurrentDictionary<int, Lazy<string>> Shared = new();
    private static int Created;

    /// <summary>Where files are put; gone after the last test.</summary>
    public static string Root { get; } = CreateRoot();

    /// <summary>A name that no other test uses.</summary>
    public static string NewPath(string extension = ".bin") =>
        Path.Combine(Root, $"{Interlocked.Increment(ref Created)}{extension}");

    /// <summary>A file of the first <paramref name="length"/> bytes of <see cref="TestContent"/>, not to be written to.</summary>
    public static string SharedFile(int length) =>
        Shared.GetOrAdd(length, static bytes => new Lazy<string>(() => Write(TestContent.Of(bytes).Span))).Value;

    /// <summary>
    /// A new file that nothing has open for writing. Its time of modification lies in the past, so that any write changes it.
    /// </summary>
    public static string NewFile(int length) => Write(TestContent.Of(length).Span);

    private static string Write(ReadOnlySpan<byte> content)
    {
        string path = NewPath();
        using (FileStream stream = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0))
        {
            stream.Write(content);
        }

        File.SetLastWriteTimeUtc(path, new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
        OpenWriters.WaitUntilNone(path);
        return path;
    }

    /// <summary>Deletes everything, after the last test.</summary>
    public static void Delete() => Directory.Delete(Root, recursive: true);

    private static string CreateRoot()
    {
        DeleteLeftovers();
        return Directory.CreateTempSubdirectory($"{Prefix}{Environment.ProcessId}-").FullName;
    }

    /// <summary>A run that was killed could not clean up: the next one does.</summary>
    private static void DeleteLeftovers()
    {
        foreach (string folder in Directory.EnumerateDirectories(Path.GetTempPath(), $"{Prefix}*"))
        {
            string process = Path.GetFileName(folder)[Prefix.Length..].Split('-')[0];
            if (!int.TryParse(process, out _) || Directory.Exists($"/proc/{process}"))
            {
                continue;
            }

            try
            {
                Directory.Delete(folder, recursive: true);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Another run got there first, or it is another user's.
            }
        }
    }
}
