using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>Which cases the suite measures.</summary>
internal static class FilesPlan
{
    /// <summary>The buffers that are asked for, in bytes.</summary>
    public static readonly int[] Buffers = [2048, 4096, 16384, 65536, 262144, 1048576];

    /// <summary>The buffers of the methods that quick mode only samples.</summary>
    public static readonly int[] SampledBuffers = [4096, 65536, 1048576];

    /// <summary>The buffers of quick mode's cold cases.</summary>
    public static readonly int[] ColdBuffers = [65536, 1048576];

    /// <summary>The lengths of quick mode's files.</summary>
    public static readonly long[] QuickSizes = [SmallSize, LargeSize];

    /// <summary>The lengths of full mode's files.</summary>
    public static readonly long[] FullSizes = [SmallSize, LargeSize, 512 * ByteSize.MiB];

    /// <summary>The file that warm-ups read, too.</summary>
    public const long SmallSize = 4 * ByteSize.MiB;

    /// <summary>The file that most statements are about.</summary>
    public const long LargeSize = 128 * ByteSize.MiB;

    /// <summary>Every method, in the order of tables.</summary>
    public static IReadOnlyList<string> Methods { get; } =
    [
        Baseline,
        nameof(FileReading.FileStreamAsync),
        nameof(FileReading.PipeReaderCreate),
        nameof(FileReading.PipePump),
        nameof(FileReading.MemoryMapped),
        nameof(FileReading.FilePipe),
        nameof(FileReading.FilePipeBuffered),
        nameof(FileReading.FilePipeReadAhead),
        nameof(FileReading.FilePipeMapped),
        nameof(FileReading.FilePipeDirect),
    ];

    private const string Baseline = nameof(FileReading.FileStreamSync);

    private static readonly string[] MainMethods =
        [Baseline, nameof(FileReading.PipeReaderCreate), nameof(FileReading.FilePipe)];

    // Quick mode only samples them.
    private static readonly string[] OtherMethods = [.. Methods.Except(MainMethods)];

    // The others do not open a FileStream.
    private static readonly string[] MethodsWithOptions =
    [
        Baseline, nameof(FileReading.FileStreamAsync), nameof(FileReading.PipeReaderCreate), nameof(FileReading.PipePump),
    ];

    /// <summary>The cases that the user asked for.</summary>
    /// <exception cref="LabException">There are none.</exception>
    public static IReadOnlyList<FileCase> Select(LabOptions options, IReadOnlyList<TestFile> files) =>
        PlanSelection.Select(Cases(options.Mode, files), options);

    /// <summary>The cases of a mode, in no particular order.</summary>
    /// <param name="mode">Quick or full.</param>
    /// <param name="files">The files; the last one is the large one.</param>
    public static IReadOnlyList<FileCase> Cases(LabMode mode, IReadOnlyList<TestFile> files) =>
        mode == LabMode.Quick ? Quick(files) : Full(files);

    /// <summary>How a file is brought into the cache unless the plan varies it.</summary>
    public static CacheFill DefaultFill(TestFile file) => file.Generated ? CacheFill.LargeWrites : CacheFill.ReadBack;

    private static List<FileCase> Quick(IReadOnlyList<TestFile> files)
    {
        var cases = new List<FileCase>();
        foreach (TestFile file in files)
        {
            CacheFill fill = DefaultFill(file);
            Add(cases, MainMethods, file, Buffers, FileOptions.SequentialScan, CacheState.Hot, fill);
        }

        TestFile large = files[^1];
        Add(
            cases, OtherMethods, large, SampledBuffers, FileOptions.SequentialScan, CacheState.Hot, DefaultFill(large));
        Add(
            cases,
            [Baseline, nameof(FileReading.FilePipe)],
            large,
            ColdBuffers,
            FileOptions.SequentialScan,
            CacheState.Cold,
            CacheFill.None);
        return cases;
    }

    private static List<FileCase> Full(IReadOnlyList<TestFile> files)
    {
        var cases = new List<FileCase>();
        foreach (TestFile file in files)
        {
            foreach ((CacheState cache, CacheFill fill) in
                new[] { (CacheState.Hot, DefaultFill(file)), (CacheState.Cold, CacheFill.None) })
            {
                Add(cases, Methods, file, Buffers, FileOptions.SequentialScan, cache, fill);
                Add(
                    cases,
                    MethodsWithOptions,
                    file,
                    Buffers,
                    FileOptions.SequentialScan | FileOptions.Asynchronous,
                    cache,
                    fill);
            }
        }

        foreach (TestFile file in files.Where(file => file is { Generated: true, Bytes: LargeSize }))
        {
            foreach (CacheFill fill in new[] { CacheFill.SmallWrites, CacheFill.ReadBack })
            {
                Add(cases, Methods, file, SampledBuffers, FileOptions.SequentialScan, CacheState.Hot, fill);
            }
        }

        return cases;
    }

    private static void Add(
        List<FileCase> cases,
        IReadOnlyList<string> methods,
        TestFile file,
        int[] buffers,
        FileOptions options,
        CacheState cache,
        CacheFill fill)
    {
        foreach (int buffer in buffers)
        {
            foreach (string method in methods)
            {
                cases.Add(new FileCase(method, file, buffer, options, cache, fill));
                if (method == Baseline)
                {
                    cases.Add(new FileCase(method, file, buffer, options, cache, fill, LabCase.NoiseRole));
                }
            }
        }
    }
}
