using System.Text.Json.Serialization;

namespace Millrace.Lab.Running;

/// <summary>
/// A line that a worker writes, as JSON. All but the last ones are answered with a line, and the worker waits for it: the
/// display is drawn while nothing is measured.
/// </summary>
internal sealed record WorkerMessage
{
    /// <summary>The answer to a message: go on.</summary>
    public const string Go = "go";

    /// <summary>The answer to a message: end soon, and return what there is.</summary>
    public const string Stop = "stop";

    /// <summary>A part of the launch begins.</summary>
    public string? Phase { get; init; }

    /// <summary>Something that the user should know.</summary>
    public string? Note { get; init; }

    /// <summary>What runs next; with <see cref="Done"/> and <see cref="Left"/>.</summary>
    public string? Current { get; init; }

    /// <summary>How far the part is, 0 to 1.</summary>
    public double Done { get; init; }

    /// <summary>An estimate for the rest of the run.</summary>
    public TimeSpan? Left { get; init; }

    /// <summary>The last message of a server: where it is. It serves until its input ends.</summary>
    public Uri? Address { get; init; }

    /// <summary>The last message: what was measured.</summary>
    public LaunchResult? Launch { get; init; }

    /// <summary>The last message: the memory that was measured.</summary>
    public MemoryResult? Memory { get; init; }

    /// <summary>The last message: why nothing could be measured.</summary>
    public string? Problem { get; init; }

    /// <summary>Whether it is the last one.</summary>
    [JsonIgnore]
    public bool IsLast => Launch is not null || Memory is not null || Address is not null || Problem is not null;
}
