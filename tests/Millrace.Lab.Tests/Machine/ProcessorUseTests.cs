using Millrace.Lab.Machine;

namespace Millrace.Lab.Tests.Machine;

public sealed class ProcessorUseTests : FolderTests
{
    private const int Laboratory = 10;
    private const uint KernelThread = 0x00200000;

    public ProcessorUseTests() => Folder.Write("stat", "cpu  100 10 50 800 20 5 5 10 7 3\ncpu0 1 1 1 1 1 1 1 1 0 0\n");

    [Fact]
    public void Others_are_all_but_the_laboratory_what_it_started_and_the_kernel()
    {
        Process(1, parent: 0, time: 3);
        Process(2, parent: 0, time: 6, flags: KernelThread);
        Process(Laboratory, parent: 1, time: 20);
        Process(11, parent: Laboratory, time: 30, name: "a) R 1 (2");
        Process(12, parent: 11, time: 40);
        Process(20, parent: 1, time: 50);
        Assert.Equal(new ProcessorUse(1000, 160 - 6 - 20 - 30 - 40), Read());
    }

    [Fact]
    public void Time_of_a_process_that_has_ended_stays_its_parents()
    {
        Process(Laboratory, parent: 1, time: 20);
        Process(11, parent: Laboratory, time: 30);
        ProcessorUse? before = Read();
        Directory.Delete(Folder["11"], recursive: true);
        Process(Laboratory, parent: 1, time: 20, timeOfChildren: 30);
        Assert.Equal(default(ProcessorUse), Read() - before);
    }

    [Fact]
    public void Broken_entries_and_circles_of_parents_are_others()
    {
        Process(11, parent: 12, time: 30);
        Process(12, parent: 11, time: 40);
        Folder.Write("13/stat", "13 (cut off");
        Folder.Write("14/stat", "");
        Folder.Write("self/stat", $"{Laboratory} (lab) R 1 1 1 0 -1 0 0 0 0 0 90 0 0 0");
        Directory.CreateDirectory(Folder["15"]);
        Assert.Equal(new ProcessorUse(1000, 160), Read());
    }

    [Theory]
    [InlineData("")]
    [InlineData("intr 1 2 3 4 5")]
    [InlineData("cpu 1 2")]
    public void Unknown_system_gives_nothing(string text)
    {
        Folder.Write("stat", text);
        Assert.Null(Read());
        Assert.Null(ProcessorUse.Read(Laboratory, Folder["missing"]));
    }

    [Theory]
    [InlineData(1000, 250, 0.25)]
    [InlineData(30000, 10000, 0.3333)]
    [InlineData(1000, -3, 0.0)]
    [InlineData(100, 102, 1.0)]
    [InlineData(99, 50, null)]
    [InlineData(0, 0, null)]
    public void Share_is_a_part_of_the_time_of_all_processors(long all, long others, double? share) =>
        Assert.Equal(share, (new ProcessorUse(all + 7, others + 5) - new ProcessorUse(7, 5)).OthersShare);

    [NeedsFact(Need.Linux)]
    public void This_process_is_one_of_the_others_for_another_laboratory()
    {
        ProcessorUse mine = ProcessorUse.Read(Environment.ProcessId)!.Value;
        ProcessorUse all = ProcessorUse.Read(laboratory: int.MaxValue)!.Value;
        Assert.True(all.Others > mine.Others, $"{all} {mine}");
    }

    private ProcessorUse? Read() => ProcessorUse.Read(Laboratory, Folder.Path);

    private void Process(int id, int parent, int time, int timeOfChildren = 0, uint flags = 0x00400000, string name = "a program") => Folder.Write(
        $"{id}/stat", $"{id} ({name}) S {parent} {id} {id} 0 -1 {flags} 98 97 96 95 {time - 1} 1 {timeOfChildren} 0 20 0 1 0 2787003\n");
}
