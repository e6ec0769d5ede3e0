using Millrace.Lab.Machine;
using Millrace.Lab.Suites.Caching;

namespace Millrace.Lab.Tests.Caching;

public sealed class CacheSuiteTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> EveryMethod => [.. new CacheSuite().Methods];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(EveryMethod))]
    public void Methods_read_all_of_the_file_or_a_part_and_notice_another_content(string method)
    {
        var large = TestFile.OfIncrements(_folder.Path, 3 * ByteSize.MiB);
        CacheControl.EstablishOrExplain(large, CacheFill.LargeWrites);
        var planned = new CacheCase(method, large, large, large.Bytes, Memory: null);
        Assert.Equal(large.Checksum, Run(planned));
        Assert.NotEqual(large.Checksum, Run(planned with { ReadBytes = ByteSize.MiB }));
        Assert.Throws<InvalidDataException>(() => Run(planned with { Large = large with { Checksum = large.Checksum + 1 } }));
    }

    [Theory]
    [InlineData(true, "/user.slice/a:b")]
    [InlineData(false, "/mine")]
    public void Group_of_a_process_is_that_of_its_version(bool isSecond, string home) => Assert.Equal(
        home, MemoryGroup.HomeOf(["5:cpu,cpuacct:/", "4:memory:/mine", "0::/user.slice/a:b"], isSecond));

    private static long Run(CacheCase planned)
    {
        using CaseMethod method = planned.Create();
        return method.Find(planned.Method)();
    }
}

[Trait("Tier", "All")]
public sealed class CacheSuiteRunTests(CacheSuiteRunTests.Measured measured) : IClassFixture<CacheSuiteRunTests.Measured>
{
    private static readonly SuiteLimits OneRound = new()
    {
        Groups = [new() { Group = CacheNames.Cold, MinRounds = 1, MaxRounds = 1, Time = TimeSpan.Zero, MaxPerVisit = 1, WithPasses = false }],
        Launches = 1,
        WarmUpPhases = 1,
    };

    [Fact]
    public void Pages_of_others_are_counted_where_a_control_group_can_be_made()
    {
        LabResults results = measured.Results;
        if (MemoryGroup.WhyNot() is { } reason)
        {
            Assert.Empty(results.Cases);
            Assert.Contains(results.Absent, absent => absent.Reason == reason);
            return;
        }

        Assert.All(results.Cases, item => Assert.Null(item.Error));
        Assert.All(results.Targets, target => Assert.NotNull(target.Met));
        Assert.Equal(3, results.Targets.Count);
        CaseSummary uncached = results.Cases.Single(item => item.Method == CacheSuite.FilePipeUncached).Summary!;
        Assert.InRange(uncached.OthersPagesLeft!.Value, 0, 1);
        Assert.InRange(uncached.OwnPagesLeft!.Value, 0, 0.01);
        Assert.StartsWith("After a large file was read beside it", results.Finding, StringComparison.Ordinal);
    }

    /// <summary>In a group with room for this process' own memory.</summary>
    public sealed class Measured() : MeasuredSuite(new CacheSuite(OneRound, 64 * ByteSize.MiB));
}
