using Millrace.Lab.Machine;

namespace Millrace.Lab.Tests.Machine;

public sealed class MountInfoTests
{
    private static readonly string[] Table =
    [
        "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard",
        "22 27 0:21 / /proc rw,relatime - proc proc rw",
        @"30 27 0:40 / /mnt/my\040disk rw,noatime master:1 - xfs /dev/sdb rw,attr2",
        "31 27 0:41 / /mnt rw - btrfs /dev/sdc rw,ssd",
        "32 27 0:42 / /tmp rw - tmpfs tmpfs rw,size=4k",
        "broken line",
    ];

    [Theory]
    [InlineData("/", "ext4", "rw,relatime; rw,discard")]
    [InlineData("/home/me", "ext4", "rw,relatime; rw,discard")]
    [InlineData("/mnt/my disk/file", "xfs", "rw,noatime; rw,attr2")]
    [InlineData("/mnt/other", "btrfs", "rw; rw,ssd")]
    [InlineData("/tmp/x", "tmpfs", "rw; rw,size=4k")]
    [InlineData("/tmpfile", "ext4", "rw,relatime; rw,discard")]
    public void Deepest_mount_above_the_path_counts(string path, string type, string options) =>
        Assert.Equal(new MountInfo(type, options), MountInfo.Find(Table, path));

    [Fact]
    public void Machine_facts_are_complete()
    {
        Millrace.Lab.Results.MachineFacts machine = MachineInspector.Inspect(AppContext.BaseDirectory);
        Assert.Equal(Environment.ProcessorCount, machine.Cores);
        Assert.True(machine.MemoryBytes > 0);
        Assert.All(
            new[] { machine.Cpu, machine.Os, machine.Kernel, machine.Architecture, machine.Runtime, machine.FileSystem },
            fact => Assert.False(string.IsNullOrWhiteSpace(fact)));
        Assert.NotEqual("unknown", machine.FileSystem);
    }
}
