namespace Millrace.Lab.Tests.Results;

public sealed class MachineIdentityTests
{
    private static readonly MachineFacts Machine = Fixture.Run().Machine;

    [Fact]
    public void Load_and_what_only_one_knows_do_not_make_another_machine()
    {
        MachineFacts old = Machine with
        {
            LoadAverage = 99,
            Container = null,
            Hypervisor = null,
            PhysicalCores = null,
            CacheBytes = null,
            HugePages = null,
            Mitigations = null,
            Governor = null,
            Cpu = "unknown",
            MemoryBytes = Machine.MemoryBytes - 1_000_000,
        };
        Assert.Empty(MachineIdentity.Differences(Machine, old));
        Assert.Empty(MachineIdentity.Differences(old, Machine));
        Assert.True(MachineIdentity.AreSame(Machine, old));
    }

    [Theory]
    [InlineData("cpu")]
    [InlineData("cores")]
    [InlineData("memoryBytes")]
    [InlineData("architecture")]
    [InlineData("fileSystem")]
    [InlineData("hypervisor")]
    [InlineData("container")]
    [InlineData("physicalCores")]
    [InlineData("cacheBytes")]
    public void Another_part_makes_another_machine(string field) => AssertDifference(field, isAnotherMachine: true);

    [Theory]
    [InlineData("os")]
    [InlineData("kernel")]
    [InlineData("runtime")]
    [InlineData("garbageCollector")]
    [InlineData("governor")]
    [InlineData("mitigations")]
    [InlineData("hugePages")]
    public void Other_software_is_the_same_machine_changed(string field) => AssertDifference(field, isAnotherMachine: false);

    private static void AssertDifference(string field, bool isAnotherMachine)
    {
        MachineFacts other = field switch
        {
            "cpu" => Machine with { Cpu = "x" },
            "cores" => Machine with { Cores = 99 },
            "memoryBytes" => Machine with { MemoryBytes = 99L << 30 },
            "architecture" => Machine with { Architecture = "x" },
            "fileSystem" => Machine with { FileSystem = "ext4 (rw)" },
            "hypervisor" => Machine with { Hypervisor = "x" },
            "container" => Machine with { Container = "x" },
            "physicalCores" => Machine with { PhysicalCores = 99 },
            "cacheBytes" => Machine with { CacheBytes = 99 },
            "os" => Machine with { Os = "x" },
            "kernel" => Machine with { Kernel = "x" },
            "runtime" => Machine with { Runtime = "x" },
            "garbageCollector" => Machine with { GarbageCollector = "x" },
            "governor" => Machine with { Governor = "x" },
            "mitigations" => Machine with { Mitigations = "x" },
            _ => Machine with { HugePages = "x" },
        };
        MachineDifference difference = Assert.Single(MachineIdentity.Differences(Machine, other));
        Assert.Equal((field, isAnotherMachine), (difference.Field, difference.IsAnotherMachine));
        Assert.Equal(!isAnotherMachine, MachineIdentity.AreSame(other, Machine));
        Assert.StartsWith($"{field}: ", difference.ToString(), StringComparison.Ordinal);
    }
}
