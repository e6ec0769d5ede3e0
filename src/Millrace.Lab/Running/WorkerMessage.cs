namespace Millrace.Lab.Running;

/// <summary>The line that a worker reads first, as JSON: one of the four.</summary>
internal sealed record WorkerRequest
{
    public LaunchRequest? Launch { get; init; }
    public MemoryRequest? Memory { get; init; }
    public ServeRequest? Serve { get; init; }

    /// <summary>Asks the worker to keep a processor busy until its input ends.</summary>
    public bool Spins { get; init; }

    [JsonIgnore]
    public string Suite => Launch?.Suite ?? Memory?.Suite ?? Serve!.Suite;
}

internal sealed record LaunchRequest
{
    public required string Suite { get; init; }
    public required LabOptions Options { get; init; }
    public required IReadOnlyList<TestFile> Inputs { get; init; }
    public Uri? Server { get; init; }
    public required int Index { get; init; }
    public required int Count { get; init; }
    public required int Seed { get; init; }

    /// <summary>The process that started all others of the run.</summary>
    public required int Laboratory { get; init; }

    /// <summary>After which nothing new begins; null for no limit.</summary>
    public TimeSpan? Limit { get; init; }

    /// <summary>How long the launches after it are expected to take; for the estimate of the time left.</summary>
    public TimeSpan After { get; init; }

    /// <summary>Whether it also makes the passes after the rounds, and measures the cost of the meters.</summary>
    public bool WithPasses { get; init; }
}

internal sealed record LaunchResult
{
    public required LaunchFacts Facts { get; init; }
    public required EngineFacts Engine { get; init; }

    /// <summary>The cases without summaries, by their index in the plan.</summary>
    public required IReadOnlyDictionary<int, CaseResult> Cases { get; init; }
    public IReadOnlyList<AbsentCases> Absent { get; init; } = [];
    public IReadOnlyDictionary<string, string> Meters { get; init; } = new Dictionary<string, string>();
    public IReadOnlyDictionary<string, string> Unavailable { get; init; } = new Dictionary<string, string>();
    public IReadOnlyList<MeterCost> MeterCosts { get; init; } = [];
    public bool Cut { get; init; }
}

/// <summary>The one case that a process runs alone, so that its peak of memory is the case's.</summary>
/// <param name="Plan">The case's index in the suite's plan.</param>
internal sealed record MemoryRequest(string Suite, LabOptions Options, IReadOnlyList<TestFile> Inputs, int Plan)
{
    public Uri? Server { get; init; }
}

/// <summary>The memory of a process that ran one case.</summary>
/// <param name="PeakOverIdleBytes">The same minus the memory before.</param>
/// <param name="Reason">Why numbers are missing; null if there are some.</param>
internal sealed record MemoryResult(long PeakResidentBytes, long PeakOverIdleBytes, string? Reason)
{
    public static MemoryResult Unavailable(string reason) => new(0, 0, reason);
}

/// <summary>The files that a process serves until its standard input ends.</summary>
/// <param name="Address">The address that it listens on, which is that of a link's far end; null for loopback.</param>
internal sealed record ServeRequest(string Suite, IReadOnlyList<TestFile> Inputs, string? Address = null)
{
    /// <summary>The object to serve instead of a folder.</summary>
    public LabBucket? Bucket { get; init; }
}

/// <summary>
/// A line that a worker writes, as JSON. All but the last ones are answered with a line, and the worker waits for it: the
/// display is drawn while nothing is measured.
/// </summary>
internal sealed record WorkerMessage
{
    public const string Go = "go";

    /// <summary>The answer to a message: end soon, and return what there is.</summary>
    public const string Stop = "stop";

    public string? Phase { get; init; }
    public string? Note { get; init; }

    /// <summary>What runs next; with <see cref="Done"/> and <see cref="Left"/>.</summary>
    public string? Current { get; init; }
    public double Done { get; init; }
    public TimeSpan? Left { get; init; }

    /// <summary>The last message of a server: its address. It serves until its input ends.</summary>
    public Uri? Address { get; init; }

    // Each of the others is the last message of its kind of request.
    public LaunchResult? Launch { get; init; }
    public MemoryResult? Memory { get; init; }
    public string? Problem { get; init; }

    [JsonIgnore]
    public bool IsLast => Launch is not null || Memory is not null || Address is not null || Problem is not null;
}

[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(WorkerRequest))]
[JsonSerializable(typeof(WorkerMessage))]
[JsonSerializable(typeof(ServerReading))]
internal sealed partial class WorkerJson : JsonSerializerContext;
