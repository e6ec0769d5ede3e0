using Microsoft.Win32.SafeHandles;
using Millrace.Sources;

namespace Millrace.Tests.Direct;

/// <summary>Readers past the page cache, by the engine of the test's choice.</summary>
internal static class DirectReaders
{
    public const string Ring = "io_uring";
    public const string Threads = "threads";

    private static readonly DirectThreads Pool = new("asked for by a test");
    private static readonly Lazy<DirectRing?> SharedRing = new(() =>
    {
        string? refusal = DirectRing.TryStart(out DirectRing? ring);
        Assert.True((refusal is null) == (ring is not null), refusal);
        return ring;
    });

    private static readonly Lazy<string> FolderName = new(ChooseFolder);

    /// <summary>Both engines; the threads alone where the machine refuses io_uring.</summary>
    public static IEnumerable<string> Engines => SharedRing.Value is null ? [Threads] : [Ring, Threads];

    /// <summary>The engines as test data.</summary>
    public static TheoryData<string> EngineData => [.. Engines];

    /// <summary>A new file on a file system that has O_DIRECT, whose time of modification lies in the past.</summary>
    public static string NewFile(int length)
    {
        string path = Path.Combine(FolderName.Value, Path.GetRandomFileName());
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write))
        {
            RandomAccess.Write(file, TestContent.Of(length).Span, 0);
            RandomAccess.FlushToDisk(file);
        }

        File.SetLastWriteTimeUtc(path, new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
        return path;
    }

    public static FilePipeReader Open(string engine, string path, FileReadOptions options = default) =>
        Open(engine == Ring ? SharedRing.Value! : Pool, path, options);

    public static FilePipeReader Open(DirectEngine engine, string path, FileReadOptions options = default)
    {
        const FileShare All = FileShare.ReadWrite | FileShare.Delete;
        var file = new OpenFile(
            File.OpenHandle(path, FileMode.Open, FileAccess.Read, All), path, options, ownsHandle: true);
        string? refusal = DirectSource.TryOpen(file, engine, out DirectSource? source);
        Assert.True(source is not null, refusal);
        return new FilePipeReader(source, options);
    }

    /// <summary>The descriptors of a file in this process that go past the page cache.</summary>
    public static int[] DirectDescriptors(string path) =>
        [.. Linux.Descriptors(path).Where(DirectNative.IsDirect)];

    /// <summary>The folder of the run, or one beside the tests where that one is in memory.</summary>
    private static string ChooseFolder()
    {
        string probe = TestFolder.NewFile(1);
        using (FilePipeReader reader = FilePipe.OpenRead(probe, new FileReadOptions { Strategy = ReadStrategy.Direct }))
        {
            if (reader.Strategy == ReadStrategy.Direct)
            {
                return TestFolder.Root;
            }
        }

        string beside = Directory.CreateDirectory(
            Path.Combine(AppContext.BaseDirectory, Path.GetRandomFileName())).FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(beside, recursive: true);
        return beside;
    }
}
