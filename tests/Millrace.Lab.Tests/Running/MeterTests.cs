using Millrace.Lab.Tests.Child;

namespace Millrace.Lab.Tests.Running;

/// <summary>Meters, held against a known load in a process that does nothing else.</summary>
public sealed class MeterTests(MeterTests.Measured measured) : IClassFixture<MeterTests.Measured>
{
    private const int Pages = 64;
    private const int ArrayHeader = 24;

    // The runtime's own threads do a little now and then.
    private const int Few = 40;

    [NeedsFact(Need.Linux)]
    public void Meters_report_a_known_load_exactly()
    {
        JsonElement load = measured.Load;

        // N reads of M bytes each: exactly, by the kernel's own accounting.
        Assert.Equal(KnownLoad.Reads, Value(load, "ReadsBytes", "Hot.ReadCalls"));
        Assert.Equal((long)KnownLoad.Reads * KnownLoad.BytesPerRead, Value(load, "ReadsBytes", "Hot.LogicalReadBytes"));
        Assert.Equal(0, Value(load, "ReadsBytes", "Hot.PhysicalReadBytes"));
        Assert.True(Cpu(load, "ReadsBytes") > 0);
        Assert.Equal(0, Value(load, "Allocates", "Hot.ReadCalls"));
        Assert.Equal(0, Value(load, "Allocates", "Hot.LogicalReadBytes"));

        Assert.Equal(0, Value(load, "ReadsBytes", "Hot.WriteCalls"));
        Assert.Equal(KnownLoad.Writes, Value(load, "WritesBytes", "Hot.WriteCalls"));
        Assert.Equal((long)KnownLoad.Writes * KnownLoad.BytesPerRead, Value(load, "WritesBytes", "Hot.LogicalWriteBytes"));
        Assert.Equal(0, Value(load, "WritesBytes", "Hot.ReadCalls"));

        // K bytes allocated.
        Assert.Equal(KnownLoad.ArrayBytes + ArrayHeader, Value(load, "Allocates", "Allocated.Bytes"));
        Assert.Equal(0, Value(load, "ReadsBytes", "Allocated.Bytes"));
        Assert.Equal(0, Value(load, "Allocates", "Allocated.Gen0"));
        Assert.Equal(2, Value(load, "Collects", "Allocated.Gen0"));
        Assert.Equal(1, Value(load, "Collects", "Allocated.Gen2"));

        // P pages touched. The kernel maps up to 16 at a time around a fault (fault_around_bytes, 64 KiB), so that there
        // are fewer faults than pages, but some; cold, at least one of them waits for the disk, and every byte comes from it.
        Assert.InRange(Value(load, "TouchesPages", "Hot.MinorFaults"), Pages / 16, Pages + Few);
        Assert.Equal(0, Value(load, "TouchesPages", "Hot.MajorFaults"));
        Assert.Equal(0, Value(load, "TouchesPages", "Hot.PhysicalReadBytes"));
        Assert.Equal(0, Value(load, "TouchesPages", "Hot.LogicalReadBytes"));
        Assert.True(Value(load, "TouchesPages", "Cold.MajorFaults") >= 1);
        Assert.Equal(Pages * Environment.SystemPageSize, Value(load, "TouchesPages", "Cold.PhysicalReadBytes"));

        // Waiting gives the processor up each time; computing takes the time of both threads, none of them twice. The runtime's own threads
        // take some as well, and more on a busy machine.
        Assert.InRange(Value(load, "Waits", "Hot.VoluntarySwitches"), KnownLoad.Sleeps, KnownLoad.Sleeps + Few);
        Assert.True(Cpu(load, "Waits") < Value(load, "Waits", "WallNs"));
        Assert.InRange(Cpu(load, "Computes") / 1_000_000, (2 * KnownLoad.SpinMs) - 1, (3 * KnownLoad.SpinMs) - 1);

        // 20,000 pages that were there for a moment only. The kernel counts resident pages per processor and adds them up
        // in batches, so that some hundred may be missing.
        Assert.InRange(
            load.GetProperty("peak").GetInt64() / Environment.SystemPageSize, 19_500, 20_500);
        Assert.True(load.GetProperty("costs").GetInt32() >= 4);
    }

    [NeedsFact(Need.Linux)]
    public void System_calls_are_counted_exactly_or_the_reason_is_named()
    {
        JsonElement load = measured.Load;
        if (load.GetProperty("callReason").GetString() is { Length: > 0 } reason)
        {
            Assert.Contains("raw_syscalls", reason, StringComparison.Ordinal);
            Assert.Equal(-1, Value(load, "ReadsBytes", "SystemCalls"));
            return;
        }

        Assert.InRange(Value(load, "ReadsBytes", "SystemCalls"), KnownLoad.Reads, KnownLoad.Reads + Few);
        Assert.InRange(Value(load, "Allocates", "SystemCalls"), 0, Few);
    }

    private static long Value(JsonElement load, string method, string meter) =>
        (long)meter.Split('.').Aggregate(load.GetProperty(method), (from, name) => from.GetProperty(name)).GetDouble();

    private static long Cpu(JsonElement load, string method) =>
        Value(load, method, "Hot.UserCpuNs") + Value(load, method, "Hot.SystemCpuNs");

    public sealed class Measured
    {
        public Measured()
        {
            if (!OperatingSystem.IsLinux())
            {
                return;
            }

            using var folder = new TemporaryFolder();
            byte[] content = Content.Random(Pages * Environment.SystemPageSize, 5);
            Load = JsonDocument.Parse(ChildProgram.Run("known-load", folder.Write("load.bin", content))).RootElement;
        }

        public JsonElement Load { get; }
    }
}
