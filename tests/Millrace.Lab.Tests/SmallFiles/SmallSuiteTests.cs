using Millrace.Lab.Suites.Small;

namespace Millrace.Lab.Tests.SmallFiles;

public sealed class SmallSuiteTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> EveryWayToRead => [.. SmallSuite.ReadMethods];

    public static TheoryData<string> EveryWayToCommit => [.. SmallSuite.CommitMethods];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(EveryWayToRead))]
    public void Every_method_reads_every_file_and_detects_another_one(string method)
    {
        foreach (long bytes in new[] { SmallSuite.Smallest, SmallSuite.Largest })
        {
            string folder = _folder[$"read-{bytes}"];
            SmallFolder.Fill(folder, bytes, 5);
            foreach (CacheState state in new[] { CacheState.Hot, CacheState.Cold })
            {
                SmallCase planned = Case(method, folder, bytes) with { State = state };
                if (planned.WhyNot() is null)
                {
                    Assert.Equal(5 * bytes, Run(planned));
                }
            }

            File.Copy(Path.Combine(folder, "1"), Path.Combine(folder, "3"), overwrite: true);
            Assert.Throws<InvalidDataException>(() => Run(Case(method, folder, bytes)));
            File.Delete(Path.Combine(folder, "3"));
            Assert.ThrowsAny<IOException>(() => Run(Case(method, folder, bytes)));
        }
    }

    [Theory]
    [MemberData(nameof(EveryWayToCommit))]
    public void Every_method_creates_every_file_whatever_was_in_the_folder(string method)
    {
        string folder = _folder["written"];
        foreach (Durability durability in new[] { Durability.None, Durability.OnCommit })
        {
            SmallCase planned = Case(method, folder, SmallSuite.Middle) with { Writes = durability };
            Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, "2"), "left by a run that was killed");
            Assert.Equal(5, Run(planned));
            Assert.Empty(Directory.EnumerateFileSystemEntries(folder));
        }
    }

    [Fact]
    public void Missing_or_different_files_are_noticed_after_they_were_created()
    {
        string folder = _folder["verified"];
        SmallFolder.Fill(folder, SmallSuite.Smallest, 3);
        SmallFolder.Verify(folder, SmallSuite.Smallest, 3);
        Assert.Throws<InvalidDataException>(() => SmallFolder.Verify(folder, SmallSuite.Smallest, 2));
        Assert.Throws<InvalidDataException>(() => SmallFolder.Verify(folder, SmallSuite.Smallest, 4));
        File.WriteAllBytes(Path.Combine(folder, "1"), new byte[SmallSuite.Smallest]);
        Assert.Throws<InvalidDataException>(() => SmallFolder.Verify(folder, SmallSuite.Smallest, 3));
    }

    private SmallCase Case(string method, string folder, long bytes) =>
        new(method, folder, TestFile.OfIncrements(_folder.Path, SmallSuite.Smallest), bytes, 5);

    private static long Run(SmallCase planned)
    {
        using CaseMethod method = planned.Create();
        CaseState state = planned.CreateState(cache: null);
        Assert.Null(state.Prepare());
        long result = method.Find(planned.Method)();
        state.Finish();
        return result;
    }
}

[Trait("Tier", "All")]
public sealed class SmallSuiteRunTests(SmallSuiteRunTests.Measured measured) : IClassFixture<SmallSuiteRunTests.Measured>
{
    private static readonly RunLimits ThreeRounds = new() { MinRounds = 3, MaxRounds = 3, Time = TimeSpan.Zero, MaxPerVisit = 1 };

    private static readonly SuiteLimits FewRounds = new() { Groups = SmallSuite.Groups(ThreeRounds), Launches = 1, WarmUpPhases = 1 };

    [Fact]
    public void Run_relates_every_method_to_FileStream_and_checks_the_targets()
    {
        LabResults results = measured.Results;
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.True(item.Verified);
            Assert.NotNull(item.Summary!.Ratio);
            double read = (double)item.Parameters.Bytes!.Value * item.Parameters.Files!.Value / (1 << 20);
            Assert.Equal(read, item.Summary.MibPerSecond * item.Summary.WallNs.Median / 1e9, tolerance: 1e-6 * read);
        });
        Assert.Equal(["commit", "none"], results.Cases.Select(item => item.Parameters.Durability).OfType<string>().Distinct().Order());
        Assert.Equal(6, results.Targets.Count);
        Assert.DoesNotContain(results.Targets, target => target.Met is null && !target.Figure.EndsWith("cold", StringComparison.Ordinal));
        Assert.StartsWith("Reading files of 1 KiB, FilePipe ", results.Finding, StringComparison.Ordinal);
        Assert.Contains("durably creating", results.Finding, StringComparison.Ordinal);
    }

    public sealed class Measured() : MeasuredSuite(new SmallSuite(FewRounds), "FilePipe/*", "FileStreamSync*", "FilePipeCommit/*", "FileStreamMove*");
}
