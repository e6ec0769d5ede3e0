namespace Millrace.Lab.Tests.Results;

public sealed class MachineIdentityTests
{
    private static readonly MachineFacts Machine = Fixture.Run().Machine;

    private static readonly Dictionary<string, MachineFacts> Hardware = new()
    {
        ["cpu"] = Machine with { Cpu = "x" },
        ["cores"] = Machine with { Cores = 99 },
        ["memoryBytes"] = Machine with { MemoryBytes = 99L << 30 },
        ["architecture"] = Machine with { Architecture = "x" },
        ["fileSystem"] = Machine with { FileSystem = "ext4 (rw)" },
        ["hypervisor"] = Machine with { Hypervisor = "x" },
        ["container"] = Machine with { Container = "x" },
        ["physicalCores"] = Machine with { PhysicalCores = 99 },
        ["cacheBytes"] = Machine with { CacheBytes = 99 },
    };

    private static readonly Dictionary<string, MachineFacts> Software = new()
    {
        ["os"] = Machine with { Os = "x" },
        ["kernel"] = Machine with { Kernel = "x" },
        ["runtime"] = Machine with { Runtime = "x" },
        ["garbageCollector"] = Machine with { GarbageCollector = "x" },
        ["governor"] = Machine with { Governor = "x" },
        ["mitigations"] = Machine with { Mitigations = "x" },
        ["hugePages"] = Machine with { HugePages = "x" },
    };

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

    public static TheoryData<string> Fields => [.. Hardware.Keys, .. Software.Keys];

    [Theory]
    [MemberData(nameof(Fields))]
    public void Other_hardware_is_another_machine_and_other_software_the_same_one_changed(string field)
    {
        bool isAnother = Hardware.TryGetValue(field, out MachineFacts? other);
        other ??= Software[field];
        MachineDifference difference = Assert.Single(MachineIdentity.Differences(Machine, other));
        Assert.Equal((field, isAnother), (difference.Field, difference.IsAnotherMachine));
        Assert.Equal(!isAnother, MachineIdentity.AreSame(other, Machine));
        Assert.StartsWith($"{field}: ", difference.ToString(), StringComparison.Ordinal);
    }
}
