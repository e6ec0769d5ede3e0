using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
using Millrace.Lab.Running;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>Which cases the suite measures.</summary>
internal static class TransfersPlan
{
    /// <summary>What results call no coding, no digest, and files that reach the device when the system sees fit.</summary>
    public const string None = "none";

    /// <summary>What they call the coding.</summary>
    public const string Gzip = "gzip";

    /// <summary>What they call files that are on the device when the invocation ends.</summary>
    public const string Commit = "commit";

    /// <summary>What they call the digest.</summary>
    public const string Sha256 = "sha-256";

    /// <summary>What they call the transport.</summary>
    public const string Sockets = "sockets";

    /// <summary>What they call the way from the server.</summary>
    public const string Download = "download";

    /// <summary>What they call the way to it.</summary>
    public const string Upload = "upload";

    /// <summary>What is written without a library.</summary>
    public const string Baseline = nameof(FileTransfers.HttpClient);

    /// <summary>The same with digests.</summary>
    public const string BaselineSha256 = nameof(FileTransfers.HttpClientSha256);

    /// <summary>Bytes of full mode's second file.</summary>
    public const long LargeSize = 512 * ByteSize.MiB;

    /// <summary>The buffer of statements that are about one.</summary>
    public const int MainBuffer = 65536;

    /// <summary>Bits per second of the shaped link, each way.</summary>
    public const long LinkBitsPerSecond = 1_000_000_000;

    /// <summary>The buffers of quick mode, in bytes: those of the published figures, and a larger one.</summary>
    public static readonly int[] QuickBuffers = [MainBuffer, 81920, 262144];

    /// <summary>The buffers of full mode, in bytes.</summary>
    public static readonly int[] FullBuffers = [4096, .. QuickBuffers];

    /// <summary>Round trips over the shaped link, in milliseconds: a building, a country, an ocean.</summary>
    public static readonly int[] RoundTripsMs = [1, 25, 60];

    /// <summary>Every method, in the order of tables.</summary>
    public static IReadOnlyList<string> Methods { get; } = [.. TransferMethods.All.Select(method => method.Name)];

    // What the aims are about, and what each protocol comes to; the rest of the rows is in full mode.
    private static readonly string[] QuickMain =
    [
        Baseline, nameof(FileTransfers.Http1), nameof(FileTransfers.Http2),
        nameof(FileTransfers.GrpcByteArray), nameof(FileTransfers.GrpcRentedArray), nameof(FileTransfers.GrpcDirect),
        nameof(FileTransfers.GrpcWebDirect), nameof(FileTransfers.GrpcWebTextDirect),
        BaselineSha256, nameof(FileTransfers.Http1Sha256),
    ];

    private static readonly string[] QuickOther = [Baseline, nameof(FileTransfers.Http1), nameof(FileTransfers.GrpcDirect)];

    private static readonly string[] QuickGzip = [Baseline, nameof(FileTransfers.GrpcDirect)];

    // Of a file as long as this one an array more or less shows in no figure.
    private static readonly string[] Large =
    [
        Baseline, nameof(FileTransfers.Http1), nameof(FileTransfers.Http2), nameof(FileTransfers.Tus),
        nameof(FileTransfers.GrpcDirect), nameof(FileTransfers.GrpcWebDirect),
        BaselineSha256, nameof(FileTransfers.Http1Sha256), nameof(FileTransfers.GrpcDirectSha256),
    ];

    private static readonly string[] Linked =
        [Baseline, nameof(FileTransfers.Http1), nameof(FileTransfers.Http2), nameof(FileTransfers.GrpcDirect)];

    private static readonly string[] Baselines = [Baseline, BaselineSha256];

    /// <summary>The cases that the user asked for.</summary>
    /// <param name="options">The mode and the filters.</param>
    /// <param name="inputs">The files.</param>
    /// <param name="server">Where the server is; a plan that is only counted needs none.</param>
    /// <exception cref="NoCaseException">There are none.</exception>
    /// <remarks>
    /// A filter that no case of quick mode matches means cases of full mode: who names a case wants it, and not an hour of
    /// all the others.
    /// </remarks>
    public static IReadOnlyList<TransferCase> Select(LabOptions options, TransfersInputs inputs, Uri? server)
    {
        if (options.Mode == LabMode.Full)
        {
            return PlanSelection.Select(Full(inputs, server), options);
        }

        List<TransferCase> quick = Quick(inputs, server);
        string[] others = [.. options.Filters.Where(glob => !quick.Exists(entry => Matches(glob, entry)))];
        return PlanSelection.Select(
            [.. quick, .. Full(inputs, server).Where(entry => Array.Exists(others, glob => Matches(glob, entry)))], options);
    }

    private static bool Matches(string glob, TransferCase entry) =>
        new CaseFilter([glob]).Selects(entry.Name, $"{entry.Name}/{entry.Parameters.Describe()}");

    private static List<TransferCase> Quick(TransfersInputs inputs, Uri? server)
    {
        TransferEnds two = Between(inputs, server);
        var cases = new List<TransferCase>();
        Add(cases, QuickMain, two, inputs.Published, [MainBuffer]);
        Add(cases, QuickOther, two, inputs.Published, [.. QuickBuffers.Where(buffer => buffer != MainBuffer)]);
        Add(cases, QuickGzip, two, inputs.Published, [MainBuffer], compression: TransferCompression.Gzip);
        return cases;
    }

    private static List<TransferCase> Full(TransfersInputs inputs, Uri? server)
    {
        TransferEnds two = Between(inputs, server);
        TestFile file = inputs.Published;
        var cases = new List<TransferCase>();
        foreach (TransferEnds ends in new[] { two, two with { Server = null } })
        {
            Add(cases, Methods, ends, file, FullBuffers);
            Add(cases, Methods, ends, file, FullBuffers, compression: TransferCompression.Gzip);
        }

        Add(cases, Large, two, file, FullBuffers, Durability.OnCommit);
        if (inputs.Large is { } large)
        {
            Add(cases, Large, two, large, [MainBuffer]);
            foreach (int roundTrip in RoundTripsMs)
            {
                TransferEnds linked = two with { Link = new LinkRates(roundTrip, LinkBitsPerSecond) };
                Add(cases, Linked, linked, large, [MainBuffer]);
            }
        }

        return cases;
    }

    private static TransferEnds Between(TransfersInputs inputs, Uri? server) =>
        new(inputs.Folder, server ?? new Uri("http://localhost/"));

    private static void Add(
        List<TransferCase> cases,
        IReadOnlyList<string> methods,
        TransferEnds ends,
        TestFile file,
        int[] buffers,
        Durability durability = Durability.None,
        TransferCompression compression = TransferCompression.None)
    {
        foreach (TransferDirection direction in Enum.GetValues<TransferDirection>())
        {
            foreach (int buffer in buffers)
            {
                foreach (TransferMethod method in methods.Select(TransferMethods.Find).Where(method =>
                    method.Moves(direction)
                    && (method.Core == CoreEnds.None || ends.Processes == 2)
                    && (compression == TransferCompression.None || method.HasCompression)))
                {
                    var entry = new TransferCase(method.Name, ends, file, direction, buffer, durability, compression);
                    cases.Add(entry);
                    if (IsMeasuredTwice(entry))
                    {
                        cases.Add(entry with { Role = LabCase.NoiseRole });
                    }
                }
            }
        }
    }

    // With gzip, and over a link, an invocation takes long, and what varies is the same processors.
    private static bool IsMeasuredTwice(TransferCase entry) =>
        entry is { Buffer: MainBuffer, Compression: TransferCompression.None, Ends.Link: null } && Baselines.Contains(entry.Method);
}
