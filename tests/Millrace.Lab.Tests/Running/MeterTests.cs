using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Files;
using Millrace.Lab.Tests.Infrastructure;

namespace Millrace.Lab.Tests.Running;

/// <summary>Meters, held against a known load.</summary>
public sealed class MeterTests
{
    // The test runner may do a little beside it.
    private const int Slack = 500;

    [Fact]
    public void Allocations_are_counted_to_the_byte()
    {
        AllocationResult result = AllocationPass.Measure(Entry("Allocates"));
        Assert.InRange(
            result.BytesPerInvocation, FakeBenchmark.AllocatedBytes, FakeBenchmark.AllocatedBytes + (16 * Slack));
        Assert.True(result.Invocations >= 3);
    }

    [LinuxDiskFact]
    public void Calls_that_read_are_counted()
    {
        using var pass = new SystemCallPass();
        CaseEngineOf entry = Entry("ReadsFiles");
        pass.Measure(entry);
        Assert.Null(pass.ReadsReason);
        Assert.InRange(
            entry.Case.ReadCalls!.Value, FakeBenchmark.ReadCalls, FakeBenchmark.ReadCalls + Slack);
    }

    [LinuxDiskFact]
    public void System_calls_are_counted_or_the_reason_is_named()
    {
        using var pass = new SystemCallPass();
        CaseEngineOf entry = Entry("ReadsFiles");
        pass.Measure(entry);
        if (pass.AllSource is null)
        {
            Assert.Contains("raw_syscalls", pass.AllReason, StringComparison.Ordinal);
            Assert.Null(entry.Case.SystemCalls);
        }
        else
        {
            Assert.InRange(
                entry.Case.SystemCalls!.Value, FakeBenchmark.ReadCalls, FakeBenchmark.ReadCalls + Slack);
        }
    }

    [Fact]
    public void Processor_time_is_that_of_the_invocation()
    {
        CaseEngineOf entry = Entry("ReadsFiles");
        Sample sample = entry.Engine.Measure(round: 0);
        Assert.True(sample.UserCpuNs >= 0 && sample.SystemCpuNs >= 0);
        Assert.True(sample.UserCpuNs + sample.SystemCpuNs > 0, "5,000 system calls take processor time.");
        Assert.True(sample.WallNs > 0);
    }

    private static CaseEngineOf Entry(string method)
    {
        var labCase = new LabCase(
            method,
            role: null,
            new BenchmarkCatalog(typeof(FakeBenchmark)).Create(method, new Dictionary<string, object> { ["Value"] = 0 }),
            new CaseParameters());
        return new CaseEngineOf(labCase, new CaseEngine(labCase, HotAnyway.Instance));
    }
}
