using System.Text.Json.Serialization;

namespace Millrace.Lab.Running;

/// <summary>The line that a worker reads first, as JSON: one of the three.</summary>
internal sealed record WorkerRequest
{
    /// <summary>Measure everything.</summary>
    public LaunchRequest? Launch { get; init; }

    /// <summary>Measure the memory of one case.</summary>
    public MemoryRequest? Memory { get; init; }

    /// <summary>Serve files until the input ends.</summary>
    public ServeRequest? Serve { get; init; }

    /// <summary>The suite that it is part of.</summary>
    [JsonIgnore]
    public string Suite => Launch?.Suite ?? Memory?.Suite ?? Serve!.Suite;
}
