using System.Runtime.InteropServices;

namespace Millrace.Lab.Tests.Running;

public sealed partial class BusyProcessorsTests
{
    private static readonly WorkerCommand Worker = new("dotnet", [ChildProgram.Path, LabWorker.Argument]);

    [Fact]
    public void A_process_per_processor_computes_until_it_is_disposed_of()
    {
        Process[] processes;
        using (var busy = BusyProcessors.Start(Worker))
        {
            processes = [.. busy.Ids.Select(Process.GetProcessById)];
            Assert.Equal(Environment.ProcessorCount, processes.Length);
            Assert.All(processes, process => Assert.False(process.HasExited));
        }

        Assert.All(processes, process => Assert.True(process.WaitForExit(Bounded.Patience)));
    }

    [NeedsTheory(Need.Linux)]
    [InlineData(9)] // SIGKILL
    [InlineData(2)] // SIGINT
    public void Processes_end_when_a_signal_ends_the_one_that_started_them(int signal)
    {
        using Process owner = Process.Start(new ProcessStartInfo("dotnet", [ChildProgram.Path, "busy"])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        Process[] processes =
        [
            .. owner.StandardOutput.ReadLine()!.Split(' ').Select(id => Process.GetProcessById(int.Parse(id, CultureInfo.InvariantCulture))),
        ];
        Assert.Equal(0, Kill(owner.Id, signal));
        Assert.True(owner.WaitForExit(Bounded.Patience));
        Assert.Equal(Environment.ProcessorCount, processes.Length);
        Assert.All(processes, process => Assert.True(process.WaitForExit(Bounded.Patience)));
    }

    [Theory]
    [InlineData(LabMode.Quick, null, false, true)]
    [InlineData(LabMode.Quick, "busy", true, false)]
    [InlineData(LabMode.Full, null, true, true)]
    [InlineData(LabMode.Full, "none", false, true)]
    [InlineData(LabMode.Full, "busy", true, false)]
    public void Load_selects_the_cases_of_files_and_transfers(LabMode mode, string? load, bool busy, bool idle)
    {
        TestFile[] files = [TestFile.OfIncrements("/data", FilesSuite.SmallSize), TestFile.OfIncrements("/data", FilesSuite.LargeSize)];
        var options = new LabOptions { Mode = mode, Load = load };
        TestFile[] moved = [.. files.Select(file => file with { Path = $"/data/server/{file.Bytes}" })];
        foreach (IReadOnlyList<PlannedCase> plan in new[]
        {
            new FilesSuite().Select(options, files, server: null),
            new TransfersSuite().Select(options, moved, server: null),
        })
        {
            Assert.Equal((busy, idle), (plan.Any(entry => entry.IsBusy), plan.Any(entry => !entry.IsBusy)));
            Assert.All(plan, entry => Assert.Equal(entry.IsBusy ? "busy" : null, entry.Parameters.Load));
            Assert.All(plan.Where(entry => entry.IsBusy), entry => Assert.EndsWith("load busy", entry.Id, StringComparison.Ordinal));
            Assert.Distinct(plan.Select(entry => entry.Id));
        }
    }

    [Fact]
    public void Busy_file_cases_are_those_of_the_bar()
    {
        TestFile[] files = [TestFile.OfIncrements("/data", FilesSuite.SmallSize), TestFile.OfIncrements("/data", FilesSuite.LargeSize)];
        FileCase[] plan = [.. new FilesSuite().Select(new LabOptions { Load = "busy" }, files, server: null).Cast<FileCase>()];
        Assert.All(plan, entry => Assert.Equal((FilesSuite.LargeSize, "busy"), (entry.Source.Bytes, entry.Group)));
        foreach (string method in new[] { "FilePipe", "FileStreamSync" })
        {
            Assert.Equal(FilesSuite.Buffers, plan.Where(entry => entry.Name == method).Select(entry => entry.Buffer));
        }

        Assert.Equal(FilesSuite.FloorMethods, plan.Select(entry => entry.Method).Where(Floor.Is).Distinct());
    }

    [Fact]
    public void Suite_without_such_cases_says_so() => Assert.Contains(
        "no cases under load",
        Assert.Throws<NoCaseException>(() => new WritesSuite().Select(
            new LabOptions { Load = "busy" }, WritesInputs.In("/data", WritesSuite.LargeSize).Files, server: null)).Message,
        StringComparison.Ordinal);

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);
}
