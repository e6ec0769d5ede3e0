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
        Assert.Equal(KnownLoad.Reads, Value(load, "ReadsBytes", "readCalls"));
        Assert.Equal((long)KnownLoad.Reads * KnownLoad.BytesPerRead, Value(load, "ReadsBytes", "logicalReadBytes"));
        Assert.Equal(0, Value(load, "ReadsBytes", "physicalReadBytes"));
        Assert.True(Value(load, "ReadsBytes", "cpuNs") > 0);
        Assert.Equal(0, Value(load, "Allocates", "readCalls"));
        Assert.Equal(0, Value(load, "Allocates", "logicalReadBytes"));

        Assert.Equal(0, Value(load, "ReadsBytes", "writeCalls"));
        Assert.Equal(KnownLoad.Writes, Value(load, "WritesBytes", "writeCalls"));
        Assert.Equal((long)KnownLoad.Writes * KnownLoad.BytesPerRead, Value(load, "WritesBytes", "logicalWriteBytes"));
        Assert.Equal(0, Value(load, "WritesBytes", "readCalls"));

        // K bytes allocated.
        Assert.Equal(KnownLoad.ArrayBytes + ArrayHeader, Value(load, "Allocates", "allocatedBytes"));
        Assert.Equal(0, Value(load, "ReadsBytes", "allocatedBytes"));
        Assert.Equal(0, Value(load, "Allocates", "gen0"));
        Assert.Equal(2, Value(load, "Collects", "gen0"));
        Assert.Equal(1, Value(load, "Collects", "gen2"));

        // P pages touched. The kernel maps up to 16 at a time around a fault (fault_around_bytes, 64 KiB), so that there
        // are fewer faults than pages, but some; cold, at least one of them waits for the disk, and every byte comes from it.
        Assert.InRange(Value(load, "TouchesPages", "minorFaults"), Pages / 16, Pages + Few);
        Assert.Equal(0, Value(load, "TouchesPages", "majorFaults"));
        Assert.Equal(0, Value(load, "TouchesPages", "physicalReadBytes"));
        Assert.Equal(0, Value(load, "TouchesPages", "logicalReadBytes"));
        Assert.True(Value(load, "TouchesPages", "coldMajorFaults") >= 1);
        Assert.Equal(Pages * Environment.SystemPageSize, Value(load, "TouchesPages", "coldPhysicalReadBytes"));

        // Waiting gives the processor up each time; computing takes the time of both threads.
        Assert.InRange(Value(load, "Waits", "voluntarySwitches"), KnownLoad.Sleeps, KnownLoad.Sleeps + Few);
        Assert.True(Value(load, "Waits", "cpuNs") < Value(load, "Waits", "wallNs"));
        Assert.InRange(
            Value(load, "Computes", "cpuNs") / 1_000_000, (2 * KnownLoad.SpinMs) - 1, (2 * KnownLoad.SpinMs) + Few);

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
            Assert.Equal(-1, Value(load, "ReadsBytes", "systemCalls"));
            return;
        }

        Assert.InRange(Value(load, "ReadsBytes", "systemCalls"), KnownLoad.Reads, KnownLoad.Reads + Few);
        Assert.InRange(Value(load, "Allocates", "systemCalls"), 0, Few);
    }

    private static long Value(JsonElement load, string method, string meter) =>
        load.GetProperty(method).GetProperty(meter).GetInt64();

    /// <summary>Measures once for all tests.</summary>
    public sealed class Measured
    {
        public Measured()
        {
            if (!OperatingSystem.IsLinux())
            {
                return;
            }

            using var folder = new TemporaryFolder();
            byte[] content = new byte[Pages * Environment.SystemPageSize];
            new Random(5).NextBytes(content);
            Load = JsonDocument.Parse(ChildProgram.Run("known-load", folder.Write("load.bin", content))).RootElement;
        }

        public JsonElement Load { get; }
    }
}
