namespace Millrace.Lab.Results;

/// <summary>What a machine is, by descriptive fields and never by measured speed.</summary>
internal sealed record MachineFacts
{
    /// <summary>The processor's model.</summary>
    public required string Cpu { get; init; }

    /// <summary>Logical processors that the process may use.</summary>
    public required int Cores { get; init; }

    /// <summary>Physical memory, or what the container may use.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>Operating system.</summary>
    public required string Os { get; init; }

    /// <summary>Version of its kernel.</summary>
    public required string Kernel { get; init; }

    /// <summary>Processor architecture.</summary>
    public required string Architecture { get; init; }

    /// <summary>.NET version.</summary>
    public required string Runtime { get; init; }

    /// <summary>How the garbage collector is set up.</summary>
    public required string GarbageCollector { get; init; }

    /// <summary>Type and options of the file system that the measured files are on.</summary>
    public required string FileSystem { get; init; }

    /// <summary>The virtual machine it runs in, where one shows itself.</summary>
    public string? Hypervisor { get; init; }

    /// <summary>The container it runs in, where one shows itself.</summary>
    public string? Container { get; init; }

    /// <summary>What the kernel does against flaws of the processor, where it says: "flaw: measure; flaw: measure".</summary>
    public string? Mitigations { get; init; }

    /// <summary>Physical cores, where the system says.</summary>
    public int? PhysicalCores { get; init; }

    /// <summary>Size of the last-level cache, where the system says.</summary>
    public long? CacheBytes { get; init; }

    /// <summary>When the kernel uses huge pages of memory, where it says: "always", "madvise", "never".</summary>
    public string? HugePages { get; init; }

    /// <summary>The processor's frequency governor, where there is one.</summary>
    public string? Governor { get; init; }

    /// <summary>How many processes wanted a processor in the minute before the run, where the system says.</summary>
    public double? LoadAverage { get; init; }
}
