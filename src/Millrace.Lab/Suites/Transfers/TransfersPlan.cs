using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>Which cases the suite measures.</summary>
internal static class TransfersPlan
{
    /// <summary>What results call no coding, no digest, and files that reach the device when the system sees fit.</summary>
    public const string None = "none";

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

    /// <summary>What the names of methods with a digest end with.</summary>
    public const string DigestSuffix = "Sha256";

    /// <summary>What is written without a library.</summary>
    public const string Baseline = nameof(FileTransfers.HttpClient);

    /// <summary>The same with digests.</summary>
    public const string BaselineSha256 = nameof(FileTransfers.HttpClientSha256);

    /// <summary>TransferClient over HTTP/1.1.</summary>
    public const string Http1 = nameof(FileTransfers.Http1);

    /// <summary>The same with digests.</summary>
    public const string Http1Sha256 = nameof(FileTransfers.Http1Sha256);

    /// <summary>Bytes of full mode's second file.</summary>
    public const long LargeSize = 512 * ByteSize.MiB;

    /// <summary>The buffer of statements that are about one.</summary>
    public const int MainBuffer = 65536;

    /// <summary>The buffers of quick mode, in bytes: those of the published figures, and a larger one.</summary>
    public static readonly int[] QuickBuffers = [MainBuffer, 81920, 262144];

    /// <summary>The buffers of full mode, in bytes.</summary>
    public static readonly int[] FullBuffers = [4096, .. QuickBuffers];

    /// <summary>Every method, in the order of tables.</summary>
    public static IReadOnlyList<string> Methods { get; } =
        [Baseline, Http1, nameof(FileTransfers.Tus), BaselineSha256, Http1Sha256, nameof(FileTransfers.TusSha256)];

    // tus only takes files: what the client downloads over it is a download over HTTP/1.1.
    private static readonly string[] OnlyUpload = [nameof(FileTransfers.Tus), nameof(FileTransfers.TusSha256)];

    private static readonly string[] Baselines = [Baseline, BaselineSha256];

    /// <summary>The cases that the user asked for.</summary>
    /// <param name="options">The mode and the filters.</param>
    /// <param name="inputs">The files.</param>
    /// <param name="server">Where the server is; a plan that is only counted needs none.</param>
    /// <exception cref="NoCaseException">There are none.</exception>
    public static IReadOnlyList<TransferCase> Select(LabOptions options, TransfersInputs inputs, Uri? server) =>
        PlanSelection.Select(Cases(options.Mode, inputs, server), options);

    private static List<TransferCase> Cases(LabMode mode, TransfersInputs inputs, Uri? server)
    {
        var two = new TransferEnds(inputs.Folder, server ?? new Uri("http://localhost/"));
        var cases = new List<TransferCase>();
        int[] buffers = mode == LabMode.Quick ? QuickBuffers : FullBuffers;
        foreach (TestFile file in inputs.Measured)
        {
            Add(cases, two, file, buffers, Durability.None);
        }

        if (mode == LabMode.Full)
        {
            TestFile published = inputs.Measured.First();
            Add(cases, two, published, buffers, Durability.OnCommit);
            Add(cases, two with { Server = null }, published, buffers, Durability.None);
        }

        return cases;
    }

    private static void Add(
        List<TransferCase> cases, TransferEnds ends, TestFile file, int[] buffers, Durability durability)
    {
        foreach (TransferDirection direction in Enum.GetValues<TransferDirection>())
        {
            foreach (int buffer in buffers)
            {
                foreach (string method in Methods.Where(
                    method => direction == TransferDirection.Upload || !OnlyUpload.Contains(method)))
                {
                    var entry = new TransferCase(method, ends, file, direction, buffer, durability);
                    cases.Add(entry);
                    if (buffer == MainBuffer && Baselines.Contains(method))
                    {
                        cases.Add(entry with { Role = LabCase.NoiseRole });
                    }
                }
            }
        }
    }
}
