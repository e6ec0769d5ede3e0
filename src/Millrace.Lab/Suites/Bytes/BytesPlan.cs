using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>Which cases the suite measures.</summary>
internal static class BytesPlan
{
    /// <summary>Length of the random file: the article's.</summary>
    public const long Length = 128 * ByteSize.MiB;

    /// <summary>Length of the file that warm-ups read.</summary>
    public const long WarmUpLength = 32 * ByteSize.KiB;

    /// <summary>The increments of a warm-up: several of them in its file.</summary>
    public const int WarmUpBuffer = 4096;

    /// <summary>The increments that all methods are measured with, in bytes.</summary>
    public const int MainBuffer = 65536;

    /// <summary>What the methods that count lines end with.</summary>
    public const string Lines = ".Lines";

    /// <summary>Millrace's await foreach.</summary>
    public const string Sequence = "MillraceBytes.AwaitForEach";

    /// <summary>The plain async sequence's.</summary>
    public const string PlainSequence = "AsyncBytes.AwaitForEach";

    /// <summary>A for loop over one array.</summary>
    public const string ArrayFor = "AllAtOnce.For";

    /// <summary>The article's best shape.</summary>
    public const string Baseline = "Increments.Span";

    /// <summary>ForEachSegmentAsync with vectors.</summary>
    public const string Segments = "MillraceBytes.Vector";

    /// <summary>A string a line.</summary>
    public const string TextLines = "StreamReader" + Lines;

    /// <summary>The bytes of a line.</summary>
    public const string ByteLines = "MillraceLines" + Lines;

    /// <summary>The increments of full mode, in bytes.</summary>
    public static readonly int[] Buffers = [4096, MainBuffer, 262144];

    /// <summary>How many read at once in full mode.</summary>
    public static readonly int[] Readers = [1, 2, 4];

    // Indexes of the files; the large one is the last.
    private const int SmallFile = 0;
    private const int FirstLines = 1;
    private const int TextFile = 2;

    private static readonly string[] Walks = ["For", "ForEach", "Reduce", "Span", "Vector"];
    private static readonly string[] SequenceWalks = ["AwaitForEach", "ForEach", "Reduce"];
    private static readonly string[] MillraceWalks = ["AwaitForEach", "ForEach", "Reduce", "Span", "Vector"];

    /// <summary>Every method, in the order of tables.</summary>
    public static IReadOnlyList<string> Methods { get; } =
    [
        .. Of("AsyncBytes", SequenceWalks),
        .. Of("AllAtOnce", Walks),
        .. Of("Increments", Walks),
        .. Of("Completion", Walks),
        .. Of("PipeReader", Walks),
        .. Of("MillraceBytes", MillraceWalks),
        TextLines,
        ByteLines,
    ];

    // Of the file quick mode measures all walks of two arrivals and the telling ones of the others.
    private static readonly string[] QuickFileMethods =
    [
        PlainSequence,
        .. Of("AllAtOnce", ["For", "ForEach", "Reduce", "Span"]),
        .. Of("Increments", Walks),
        "Completion.Span",
        "PipeReader.Span",
        "PipeReader.Vector",
        Sequence,
        "MillraceBytes.Span",
        Segments,
    ];

    private static readonly string[] QuickHttpMethods =
    [
        PlainSequence, ArrayFor, "AllAtOnce.Span", Baseline, "Increments.Vector", "PipeReader.Vector", Sequence, Segments,
    ];

    // What differs with the increments and with the readers is how bytes arrive; one or two walks show it.
    private static readonly string[] MethodsWithIncrements =
    [
        PlainSequence,
        .. Of("Increments", Walks),
        .. Of("PipeReader", Walks),
        Sequence,
        "MillraceBytes.Span",
        Segments,
    ];

    private static readonly string[] MethodsAtOnce =
    [
        PlainSequence,
        "AllAtOnce.Span",
        Baseline,
        "Increments.Vector",
        "Completion.Span",
        "PipeReader.Span",
        Sequence,
        "MillraceBytes.Span",
        Segments,
    ];

    /// <summary>The cases that the user asked for.</summary>
    /// <param name="options">The mode and the filters.</param>
    /// <param name="files">
    /// The file of warm-ups, unless the user has a file the first lines of a text and the text, and the large one.
    /// </param>
    /// <param name="server">Where a server has them; a plan that is only counted needs none.</param>
    /// <exception cref="LabException">There are none.</exception>
    public static IReadOnlyList<ByteCase> Select(LabOptions options, IReadOnlyList<TestFile> files, Uri? server) =>
        PlanSelection.Select(Cases(options.Mode, files, server), options);

    /// <summary>The same case on the file of warm-ups.</summary>
    public static ByteCase Small(ByteCase planned, IReadOnlyList<TestFile> files) =>
        planned.Source.File.Content == FileContent.Csv
            ? planned with { Source = SourceOf(files, FirstLines, server: null), Buffer = WarmUpBuffer }
            : planned with
            {
                Source = SourceOf(files, SmallFile, planned.Source.Address is { } address ? new Uri(address, ".") : null),
                Buffer = WarmUpBuffer,
            };

    private static List<ByteCase> Cases(LabMode mode, IReadOnlyList<TestFile> files, Uri? server)
    {
        int large = files.Count - 1;
        ByteSource file = SourceOf(files, large, server: null);
        ByteSource http = SourceOf(files, large, server ?? new Uri("http://localhost/"));
        var cases = new List<ByteCase>();
        if (mode == LabMode.Quick)
        {
            Add(cases, QuickFileMethods, file, MainBuffer, readers: 1);
            Add(cases, QuickHttpMethods, http, MainBuffer, readers: 1);
        }
        else
        {
            foreach (ByteSource source in new[] { file, http })
            {
                Add(cases, [.. Methods.Where(method => !method.EndsWith(Lines, StringComparison.Ordinal))], source, MainBuffer, 1);
                foreach (int buffer in Buffers.Where(buffer => buffer != MainBuffer))
                {
                    Add(cases, MethodsWithIncrements, source, buffer, readers: 1);
                }

                foreach (int readers in Readers.Where(readers => readers > 1))
                {
                    Add(cases, MethodsAtOnce, source, MainBuffer, readers);
                }
            }
        }

        if (files.Count > TextFile)
        {
            Add(cases, [TextLines, ByteLines], SourceOf(files, TextFile, server: null), MainBuffer, readers: 1);
        }

        return cases;
    }

    private static void Add(
        List<ByteCase> cases, IReadOnlyList<string> methods, ByteSource source, int buffer, int readers)
    {
        foreach (string method in methods)
        {
            cases.Add(new ByteCase(method, source, buffer, readers));
            if (method is Baseline or TextLines)
            {
                cases.Add(new ByteCase(method, source, buffer, readers, LabCase.NoiseRole));
            }
        }
    }

    private static ByteSource SourceOf(IReadOnlyList<TestFile> files, int index, Uri? server) =>
        new(files[index], server is null ? null : new Uri(server, FormattableString.Invariant($"{index}")));

    private static IEnumerable<string> Of(string arrival, string[] walks) => walks.Select(walk => $"{arrival}.{walk}");
}
