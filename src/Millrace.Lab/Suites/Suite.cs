using Millrace.Lab.Suites.Bytes;
using Millrace.Lab.Suites.Caching;
using Millrace.Lab.Suites.Files;
using Millrace.Lab.Suites.Serving;
using Millrace.Lab.Suites.Small;
using Millrace.Lab.Suites.Stores;
using Millrace.Lab.Suites.Syncing;
using Millrace.Lab.Suites.Transfers;
using Millrace.Lab.Suites.Writes;

namespace Millrace.Lab.Suites;

/// <summary>
/// The definition of a suite: methods that do the same thing, the cases and the limits of each mode, the files, and the targets.
/// <see cref="SuiteRun"/> and <see cref="SuiteLaunch"/> run all suites alike.
/// </summary>
internal abstract class Suite(SuiteLimits quick, SuiteLimits full)
{
    public abstract string Name { get; }
    public abstract string Description { get; }

    /// <summary>Filters that show in help texts how to measure a few methods with the baseline.</summary>
    public abstract IReadOnlyList<string> ExampleFilters { get; }
    public abstract IReadOnlyList<string> Methods { get; }

    /// <summary>Environment variables of its processes, unless the user has set them.</summary>
    public virtual IReadOnlyDictionary<string, string> Environment { get; } = new Dictionary<string, string>();

    /// <summary>How long the passes of the first launch take, as a part of a launch without them.</summary>
    public virtual double PassesAsLaunches => 0.4;

    /// <summary>Whether a pass also counts the bytes of large objects.</summary>
    public virtual bool CountsLargeObjects => false;

    /// <summary>Whether files are written once before the first process, and not by every launch.</summary>
    public virtual bool MakesFilesOnce => false;

    /// <summary>Whether it needs a bucket of the user's own.</summary>
    public virtual bool UsesBucket => false;

    /// <summary>Why the suite takes no --file, and what to do instead; null when it takes one.</summary>
    protected virtual string? WhyNoUserFile => null;

    public SuiteLimits Limits(LabMode mode) => mode == LabMode.Quick ? quick : full;

    /// <summary>After which nothing new begins; null for no limit.</summary>
    /// <remarks>If you ask for more processes, each gets the time that it would have had.</remarks>
    public TimeSpan? TimeLimit(LabMode mode, int launches)
    {
        SuiteLimits limits = Limits(mode);
        return limits.Total * Math.Max(1, (double)launches / limits.Launches);
    }

    /// <summary>Selects and numbers the cases that the user asked for, the same in every process.</summary>
    /// <param name="server">The server of the run; null when cases are only counted.</param>
    public IReadOnlyList<PlannedCase> Select(LabOptions options, IReadOnlyList<TestFile> files, Uri? server)
    {
        server ??= new Uri("http://localhost/");
        IReadOnlyList<PlannedCase> plan =
        [
            .. options.Load == CaseLoad.Busy ? [] : Cases(options, files, server),
            .. options.Load == CaseLoad.Busy || (options is { Load: null, Mode: LabMode.Full })
                ? BusyCases(options, files, server).Select(planned => planned with { IsBusy = true })
                : [],
        ];
        if (plan.Count == 0)
        {
            throw new NoCaseException($"The suite {Name} has no cases under load. Those of files and transfers have.");
        }

        if (options.AgainstItself)
        {
            // Every method against itself. The baseline has its second copy anyway.
            plan = [.. plan.Where(planned => planned.Role is null).SelectMany(planned => new[] { planned, Again(planned) })];
        }

        var filter = new CaseFilter(options.Filters);
        PlannedCase[] selected =
        [
            .. plan.Where(planned =>
            {
                // A method's name means both of its copies where every method has two.
                string name = options.AgainstItself ? planned.Method : planned.Name;
                return filter.Selects(name, $"{name}/{planned.Parameters.Describe()}");
            }),
        ];
        return selected.Length > 0
            ? [.. selected.Select((planned, index) => planned with { Plan = index })]
            : throw new NoCaseException(
                $"No case matches --filter {string.Join(' ', options.Filters)}. Cases are named like "
                + $"\"{plan[0].Method}\" (a method) or \"{plan[0].Id}\" (one case); * stands for any text.");
    }

    /// <summary>Checks the user's request, and locks and makes the files that are measured.</summary>
    public SuiteInputs TakeInputs(LabOptions options)
    {
        string data = DataPath(options);
        if (options.FilePath is not null && WhyNoUserFile is { } reason)
        {
            throw new NoCaseException(reason);
        }

        var hold = DataFolderLock.Take(data);
        try
        {
            IReadOnlyList<TestFile> files = Files(options, data);
            IReadOnlyList<PlannedCase> plan = Select(options, files, server: null);
            files = MakeFiles(data, files, plan);
            return new SuiteInputs(files, plan, hold);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
    }

    public abstract PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files);

    /// <summary>The short cases that warm up the code of a case.</summary>
    public virtual IEnumerable<PlannedCase> WarmUps(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        [Small(planned, options, files)];

    /// <summary>How often the runtime of another process that takes part has compiled a method.</summary>
    public virtual long CompiledElsewhere(Uri? server) => 0;

    public virtual IServedFiles Serve(ServeRequest request) => throw new LabException($"The suite {Name} has no server.");

    public abstract IReadOnlyList<TargetResult> Targets(LabResults results);

    /// <summary>States the result in a sentence; null when too little was measured.</summary>
    public abstract string? Finding(LabResults results);

    protected static string DataPath(LabOptions options) => Path.GetFullPath(options.DataFolder ?? DataFolder.Default);

    /// <summary>The files that cases are planned with; the last one is on the file system that the results describe.</summary>
    protected abstract IReadOnlyList<TestFile> Files(LabOptions options, string data);

    protected abstract IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server);

    /// <summary>The cases that are also measured while other work keeps every processor busy.</summary>
    protected virtual IEnumerable<PlannedCase> BusyCases(LabOptions options, IReadOnlyList<TestFile> files, Uri server) => [];

    /// <summary>Makes the shared files once, before the first process.</summary>
    protected virtual IReadOnlyList<TestFile> MakeFiles(
        string data, IReadOnlyList<TestFile> files, IReadOnlyList<PlannedCase> plan)
    {
        foreach (TestFile file in files.Where(file => MakesFilesOnce && file.Generated))
        {
            CacheControl.EstablishOrExplain(file, CacheFill.LargeWrites);
        }

        return files;
    }

    /// <summary>A case, followed by its second copy if it shows the noise.</summary>
    protected static IEnumerable<PlannedCase> WithNoise(PlannedCase planned, bool isMeasuredTwice) =>
        isMeasuredTwice ? [planned, Again(planned)] : [planned];

    private static PlannedCase Again(PlannedCase planned) => planned with { Role = LabCase.NoiseRole };
}

/// <summary>The files and the cases of a run. Disposing it lets other runs use the files.</summary>
internal sealed class SuiteInputs(IReadOnlyList<TestFile> files, IReadOnlyList<PlannedCase> plan, IDisposable hold) : IDisposable
{
    public IReadOnlyList<TestFile> Files => files;

    public IReadOnlyList<PlannedCase> Plan => plan;

    public void Dispose() => hold.Dispose();
}

/// <summary>A server that has the files of a run. Disposing it stops it.</summary>
internal interface IServedFiles : IDisposable
{
    /// <summary>Where they are: the file with index i of the run's inputs at this address and i.</summary>
    Uri Address { get; }
}

internal static class SuiteCatalog
{
    /// <summary>In the order in which `lab all` runs them.</summary>
    public static IReadOnlyList<Suite> All { get; } =
        [new FilesSuite(), new BytesSuite(), new WritesSuite(), new SmallSuite(), new CacheSuite(), new TransfersSuite(), new ServerSuite(), new StoresSuite(), new SyncSuite()];

    public static Suite Find(string name) => All.FirstOrDefault(suite => suite.Name == name)
        ?? throw new LabException(
            $"Unknown suite \"{name}\". The suites are {string.Join(", ", All.Select(suite => suite.Name))}.");
}
