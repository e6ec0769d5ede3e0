using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>Which cases the suite measures.</summary>
internal static class WritesPlan
{
    /// <summary>What results call files that reach the device when the system sees fit.</summary>
    public const string None = "none";

    /// <summary>What they call files that are on the device when the invocation ends.</summary>
    public const string Commit = "commit";

    /// <summary>What they call records of which each is on the device before the next.</summary>
    public const string EveryRecord = "every record";

    /// <summary>What they call the content whose lines are counted.</summary>
    public const string Lines = "lines";

    /// <summary>What they call the content whose integers are summed.</summary>
    public const string Integers = "integers";

    /// <summary>A file of one page: its price is that of the device's flushes.</summary>
    public const long SmallSize = 4 * ByteSize.KiB;

    /// <summary>The file that most statements are about; the one that is copied and summed is as long.</summary>
    public const long LargeSize = 128 * ByteSize.MiB;

    /// <summary>How many times as long it is as the other one, which is 4 MiB and fits into a processor's cache.</summary>
    public const int LargeByMedium = 32;

    /// <summary>The smallest chunk, where each call of the system's costs more than what it writes.</summary>
    public const int SmallestChunk = 512;

    /// <summary>The chunk that all methods are measured with, in bytes.</summary>
    public const int MainChunk = 65536;

    /// <summary>
    /// Records that all writers append together. Each of one writer waits for the device, which takes it half a second where
    /// a flush takes a quarter of a millisecond; and 64 writers have 32 each, so that opening them is little of it.
    /// </summary>
    public const int Records = 2048;

    /// <summary>The chunks of quick mode, in bytes.</summary>
    public static readonly int[] QuickChunks = [SmallestChunk, 4096, MainChunk, 1048576];

    /// <summary>The chunks of full mode, in bytes.</summary>
    public static readonly int[] FullChunks =
        [SmallestChunk, 1024, 2048, 4096, 8192, 16384, 32768, MainChunk, 131072, 262144, 524288, 1048576];

    /// <summary>The chunks of full mode's durable files, whose price is the device's.</summary>
    public static readonly int[] DurableChunks = [4096, MainChunk, 1048576];

    /// <summary>How many append at once.</summary>
    public static readonly int[] Writers = [1, 8, 64];

    private const string Baseline = nameof(FileWriting.FileStreamSync);
    private const string DefaultBuffer = nameof(FileWriting.FileStreamDefaultBuffer);
    private const string AllBytes = nameof(FileWriting.WriteAllBytes);
    private const string Pipe = nameof(FileWriting.FilePipe);
    private const string WriteBehind = nameof(FileWriting.FilePipeWriteBehind);
    private const string Direct = nameof(FileWriting.FilePipeDirect);
    private const string OneReader = nameof(FileScanning.FilePipe);
    private const string Scan = nameof(FileScanning.FilePipeScan);
    private const string Append = nameof(RecordAppending.FilePipeAppend);
    private const string StreamAppend = nameof(RecordAppending.FileStreamAppend);

    /// <summary>The methods that make a file, in the order of tables.</summary>
    public static IReadOnlyList<string> WriteMethods { get; } =
    [
        Baseline,
        nameof(FileWriting.FileStreamAsync),
        DefaultBuffer,
        AllBytes,
        nameof(FileWriting.RandomAccess),
        nameof(FileWriting.PipeWriterCreate),
        Pipe,
        WriteBehind,
        Direct,
    ];

    /// <summary>The methods that copy one.</summary>
    public static IReadOnlyList<string> CopyMethods { get; } =
        [nameof(FileCopying.FileCopy), nameof(FileCopying.Cp), nameof(FileCopying.FilePipeCopy)];

    /// <summary>Every method, in the order of tables.</summary>
    public static IReadOnlyList<string> Methods { get; } = [.. WriteMethods, .. CopyMethods, Scan, StreamAppend, Append];

    // Everything at once has no way to be flushed, and what a buffer of 4 KiB does to a flush nobody asks.
    private static readonly string[] DurableMethods = [.. WriteMethods.Except([AllBytes, DefaultBuffer])];

    private static readonly string[] QuickDurableMethods = [Baseline, Pipe, WriteBehind, Direct];

    private static readonly HashSet<string> Baselines = [Baseline, nameof(FileCopying.FileCopy), OneReader, Append];

    /// <summary>The cases that the user asked for.</summary>
    /// <exception cref="LabException">There are none.</exception>
    public static IReadOnlyList<WritesCase> Select(LabOptions options, WritesInputs inputs) =>
        PlanSelection.Select(Cases(options.Mode, inputs), options);

    private static List<WritesCase> Cases(LabMode mode, WritesInputs inputs)
    {
        var cases = new List<WritesCase>();
        bool quick = mode == LabMode.Quick;
        long large = inputs.Integers.Bytes;
        AddUnflushed(cases, inputs.Folder, large / LargeByMedium, isLarge: false, quick);
        AddUnflushed(cases, inputs.Folder, large, isLarge: true, quick);
        foreach ((long bytes, int chunk) in DurableFiles(large, quick))
        {
            foreach (string method in quick ? QuickDurableMethods : DurableMethods)
            {
                Add(cases, new WriteCase(method, inputs.Folder, bytes, chunk, Durability.OnCommit));
            }
        }

        foreach (string method in CopyMethods)
        {
            Add(cases, new CopyCase(method, inputs.Folder, inputs.Integers));
        }

        foreach (TestFile file in new[] { inputs.Integers, inputs.Text })
        {
            Add(cases, new ScanCase(OneReader, inputs.Folder, file, Degree: 1));
            foreach (int degree in quick ? new[] { 2, 4 } : [2, 3, 4, 8])
            {
                Add(cases, new ScanCase(Scan, inputs.Folder, file, degree));
            }
        }

        foreach (int writers in Writers)
        {
            Add(cases, new AppendCase(Append, inputs.Folder, writers, Records));
        }

        foreach (int writers in quick ? [1] : Writers)
        {
            Add(cases, new AppendCase(StreamAppend, inputs.Folder, writers, Records));
        }

        return cases;
    }

    private static void AddUnflushed(List<WritesCase> cases, string folder, long bytes, bool isLarge, bool quick)
    {
        foreach (int chunk in quick ? QuickChunks : FullChunks)
        {
            IEnumerable<string> methods = quick
                ? [Baseline, .. chunk == SmallestChunk ? [DefaultBuffer] : Array.Empty<string>(), Pipe]
                : WriteMethods.Where(method => method != AllBytes);
            foreach (string method in methods)
            {
                Add(cases, new WriteCase(method, folder, bytes, chunk, Durability.None));
            }
        }

        // What quick mode only samples, of the large file; everything at once has no chunks.
        foreach (string method in quick ? WriteMethods.Except([Baseline, DefaultBuffer, Pipe]) : [AllBytes])
        {
            if (!quick || isLarge)
            {
                Add(cases, new WriteCase(method, folder, bytes, MainChunk, Durability.None));
            }
        }
    }

    private static IEnumerable<(long Bytes, int Chunk)> DurableFiles(long large, bool quick)
    {
        yield return (SmallSize, (int)SmallSize);
        foreach (long bytes in new[] { large / LargeByMedium, large })
        {
            foreach (int chunk in quick ? [MainChunk] : DurableChunks)
            {
                yield return (bytes, chunk);
            }
        }
    }

    private static void Add(List<WritesCase> cases, WritesCase entry)
    {
        cases.Add(entry);
        if (entry.MayBeBaseline && Baselines.Contains(entry.Method) && !(entry is WriteCase && entry.Method == Pipe))
        {
            cases.Add(entry with { Role = LabCase.NoiseRole });
        }
    }
}
