namespace Millrace.Lab.Tests.Transfers;

/// <summary>The suite with few rounds, hardly warmed up, and a file of 1 MiB for the large one; the workers are real.</summary>
internal static class SmallTransfers
{
    public static TransfersSuite Suite(int rounds, int warmUpPhases = 0)
    {
        var few = new RunLimits { MinRounds = rounds, MaxRounds = rounds, Time = TimeSpan.Zero, MaxPerVisit = 1 };
        return new TransfersSuite(
            new SuiteLimits { Groups = TransfersSuite.Groups(few, few, few), Launches = 1, WarmUpPhases = warmUpPhases }, 1 << 20);
    }

    public static LabOptions Options(TemporaryFolder folder, LabMode mode, params string[] filters) =>
        new() { Mode = mode, DataFolder = folder.Path, Filters = filters, Seed = 42, Command = "test", Launches = 1 };

    public static LaunchResult Launch(TemporaryFolder folder, LabMode mode, int rounds, params string[] filters)
    {
        TransfersSuite suite = Suite(rounds);

        // Without load: this process is none that can be started again as a worker.
        LabOptions options = Options(folder, mode, filters) with { Load = CaseLoad.None };
        using SuiteInputs inputs = suite.TakeInputs(options);
        using IServedFiles served = ChildProgram.Workers.Serve(new ServeRequest("transfers", inputs.Files));
        var request = new LaunchRequest
        {
            Suite = "transfers",
            Options = options,
            Inputs = inputs.Files,
            Server = served.Address,
            Index = 0,
            Count = 1,
            Seed = 1,
            Laboratory = Environment.ProcessId,
        };
        return SuiteLaunch.Run(suite, request, new RecordedProgress(), default);
    }
}
