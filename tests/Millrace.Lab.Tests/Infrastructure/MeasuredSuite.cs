namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>A run of a suite in this process, and the folder of its files; for all tests of a class.</summary>
public abstract class MeasuredSuite : IDisposable
{
    private protected MeasuredSuite(Suite suite, params string[] filters) =>
        Results = SuiteRun.Run(suite, Options(filters), new InProcessHost(suite), new RecordedProgress(), default);

    internal LabResults Results { get; }

    internal TemporaryFolder Folder { get; } = new();

    public void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }

    internal LabOptions Options(params string[] filters) => new()
    {
        DataFolder = Folder.Path,
        Filters = filters,
        Seed = 42,
        Command = "test",
        Launches = 1,
    };
}
