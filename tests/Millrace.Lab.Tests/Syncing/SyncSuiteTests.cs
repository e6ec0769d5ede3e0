using Millrace.Lab.Suites.Syncing;
using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Tests.Syncing;

public sealed class SyncSuiteTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Plan_has_every_row_of_the_targets()
    {
        var suite = new SyncSuite();
        LabOptions options = new() { DataFolder = _folder.Path, Mode = LabMode.Quick };
        IReadOnlyList<PlannedCase> plan = suite.Select(options, [TestFile.OfRandom(_folder.Path, 8), TestFile.OfRandom(_folder.Path, 16)], server: null);
        Assert.Equal(
            [SyncMethod.Millrace, SyncMethod.Rsync, SyncMethod.Zsync],
            plan.Where(static one => one.Parameters is { Content: SyncSuite.Edited, Direction: TransfersSuite.Download, LinkBitsPerSecond: not null })
                .Select(static one => one.Method).Order(StringComparer.Ordinal));
        Assert.Single(plan, static one => one.Parameters is { Durability: TransfersSuite.Commit, Content: SyncSuite.New });
        Assert.Single(plan, static one => one.Role is not null);
        Assert.Equal(plan.Select(static one => one.Id).Distinct().Count(), plan.Count);
    }

    [Fact]
    public void Versions_differ_in_date_and_one_percent_of_the_blocks_or_in_one_byte()
    {
        TestFile file = TestFile.OfRandom(_folder.Path, 4 * ByteSize.MiB);
        using (FileStream made = File.Create(file.Path))
        {
            file.WriteContent(bytes => made.Write(bytes));
        }

        SyncFolders.MakeVersions(file);
        byte[] first = Read(SyncFolders.First);
        byte[] edited = Read(SyncSuite.Edited);
        byte[] inserted = Read(SyncSuite.Inserted);
        Assert.Equal(first.Length, edited.Length);
        Assert.Equal(2, Enumerable.Range(0, first.Length / 32768).Count(block => !first.AsSpan(block * 32768, 32768).SequenceEqual(edited.AsSpan(block * 32768, 32768))));
        Assert.Equal(first, inserted[1..]);

        byte[] Read(string version) => File.ReadAllBytes(Path.Combine(_folder.Path, SyncFolders.NameOf(file, version), SyncFolders.FileName));
    }
}

[Trait("Tier", "All")]
public sealed class SyncSuiteRunTests(SyncSuiteRunTests.Measured measured) : IClassFixture<SyncSuiteRunTests.Measured>
{
    private static readonly RunLimits TwoRounds = new() { MinRounds = 2, MaxRounds = 2, Time = TimeSpan.Zero };

    private static readonly SuiteLimits FewRounds = new() { Groups = SyncSuite.Groups(TwoRounds), Launches = 1, WarmUpPhases = 1 };

    [Fact]
    public void Run_syncs_by_every_program_that_is_there_and_checks_the_targets()
    {
        LabResults results = measured.Results;
        Assert.All(results.Cases, static item => Assert.Null(item.Error));
        Assert.All(
            results.Cases.Where(static item => item.Parameters.Content is SyncSuite.Edited or SyncSuite.Inserted && OperatingSystem.IsLinux()),
            static item => Assert.InRange(item.Summary!.NetworkBytes!.Value, 100, item.Parameters.Bytes!.Value));
        Assert.Equal(9, results.Targets.Count);

        // Of what this machine has: bytes do not vary.
        TargetResult inserted = Assert.Single(results.Targets, static target => target.Figure.Contains("inserted in front: bytes sent, upload", StringComparison.Ordinal));
        Assert.Equal(OperatingSystem.IsLinux(), inserted.Met is not null);
        Assert.Contains(results.Cases, static item => item.Method == SyncMethod.Millrace);
    }

    public sealed class Measured() : MeasuredSuite(
        new SyncSuite(FewRounds, new SyncSizes(8 * ByteSize.MiB, 50, 30)), "*/edited/*B/hot/*/none", "*/inserted/*B/hot/*/none", "*/whole/*B/hot/*/none", "*files*", "*block list*");
}
