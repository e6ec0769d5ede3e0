namespace Millrace.Lab.Results;

internal sealed record MachineFacts
{
    public required string Cpu { get; init; }
    public required int Cores { get; init; }
    public required long MemoryBytes { get; init; }
    public required string Os { get; init; }
    public required string Kernel { get; init; }
    public required string Architecture { get; init; }
    public required string Runtime { get; init; }
    public required string GarbageCollector { get; init; }
    public required string FileSystem { get; init; }
    public string? Hypervisor { get; init; }
    public string? Container { get; init; }
    public string? Mitigations { get; init; }
    public int? PhysicalCores { get; init; }
    public long? CacheBytes { get; init; }

    /// <summary>When the kernel uses huge pages of memory, if known: "always", "madvise", "never".</summary>
    public string? HugePages { get; init; }
    public string? Governor { get; init; }
    public double? LoadAverage { get; init; }
}

/// <summary>
/// Tells machines apart by what describes them, never by how fast they were: a slow day must not make another machine.
/// </summary>
internal static class MachineIdentity
{
    private const string Unknown = "unknown";

    // Another kernel keeps another part of the same memory for itself.
    private const double MemoryTolerance = 0.02;

    /// <summary>
    /// What differs. A field that one of them lacks does not differ, and the current load is not part of a
    /// machine.
    /// </summary>
    public static IReadOnlyList<MachineDifference> Differences(MachineFacts first, MachineFacts second)
    {
        MachineDifference?[] all =
        [
            Compare("cpu", first.Cpu, second.Cpu, isMachine: true),
            Compare("cores", Number(first.Cores), Number(second.Cores), isMachine: true),
            Compare("physicalCores", Number(first.PhysicalCores), Number(second.PhysicalCores), isMachine: true),
            Compare("cacheBytes", Bytes(first.CacheBytes), Bytes(second.CacheBytes), isMachine: true),
            Memory(first.MemoryBytes, second.MemoryBytes),
            Compare("architecture", first.Architecture, second.Architecture, isMachine: true),
            Compare("fileSystem", first.FileSystem, second.FileSystem, isMachine: true),
            Compare("hypervisor", first.Hypervisor, second.Hypervisor, isMachine: true),
            Compare("container", first.Container, second.Container, isMachine: true),
            Compare("os", first.Os, second.Os, isMachine: false),
            Compare("kernel", first.Kernel, second.Kernel, isMachine: false),
            Compare("runtime", first.Runtime, second.Runtime, isMachine: false),
            Compare("garbageCollector", first.GarbageCollector, second.GarbageCollector, isMachine: false),
            Compare("governor", first.Governor, second.Governor, isMachine: false),
            Compare("mitigations", first.Mitigations, second.Mitigations, isMachine: false),
            Compare("hugePages", first.HugePages, second.HugePages, isMachine: false),
        ];
        return [.. all.OfType<MachineDifference>()];
    }

    public static bool AreSame(MachineFacts first, MachineFacts second) =>
        !Differences(first, second).Any(difference => difference.IsAnotherMachine);

    public static string Describe(MachineFacts machine)
    {
        string?[] parts =
        [
            machine.Cpu,
            $"{machine.Cores} {(machine.Cores == 1 ? "core" : "cores")}",
            ByteSize.ToText(machine.MemoryBytes),
            machine.Architecture,
            machine.Container ?? machine.Hypervisor,
            machine.FileSystem.Split(' ')[0],
        ];
        return string.Join(", ", parts.Where(part => !string.IsNullOrEmpty(part)));
    }

    private static MachineDifference? Compare(string field, string? first, string? second, bool isMachine) =>
        IsUnknown(first) || IsUnknown(second) || first == second
            ? null
            : new MachineDifference(field, first!, second!, isMachine);

    private static MachineDifference? Memory(long first, long second) =>
        first <= 0 || second <= 0 || Math.Abs(first - second) <= MemoryTolerance * Math.Max(first, second)
            ? null
            : new MachineDifference("memoryBytes", ByteSize.ToText(first), ByteSize.ToText(second), IsAnotherMachine: true);

    private static bool IsUnknown(string? text) =>
        string.IsNullOrWhiteSpace(text) || string.Equals(text, Unknown, StringComparison.OrdinalIgnoreCase);

    private static string? Number(int? number) => number?.ToString(CultureInfo.InvariantCulture);

    private static string? Bytes(long? bytes) => bytes is { } number ? ByteSize.ToText(number) : null;
}

/// <param name="IsAnotherMachine">Whether it makes another machine of it; otherwise the same machine was changed.</param>
internal sealed record MachineDifference(string Field, string First, string Second, bool IsAnotherMachine)
{
    public override string ToString() => $"{Field}: {First} / {Second}";
}
