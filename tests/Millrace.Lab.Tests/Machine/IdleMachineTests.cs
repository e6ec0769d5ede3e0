using Millrace.Lab.Machine;

namespace Millrace.Lab.Tests.Machine;

/// <summary>The wait for an idle machine, on figures that the test writes.</summary>
public sealed class IdleMachineTests : FolderTests
{
    private const int Laboratory = 10;

    private readonly List<IReadOnlyList<(string Name, double Processors)>> _told = [];
    private long _all = 1000;
    private long _busy;
    private int _pauses;

    /// <param name="busyLooks">Looks in which another program uses half of the time.</param>
    private bool Wait(int busyLooks)
    {
        Write();
        return IdleMachine.Wait(
            _told.Add,
            () =>
            {
                _all += 240;
                _busy += _pauses++ < busyLooks ? 120 : 0;
                Write();
                return false;
            },
            Laboratory,
            Folder.Path);
    }

    private void Write()
    {
        Folder.Write("stat", $"cpu  {_busy} 0 0 {_all - _busy} 0 0 0 0 0 0\n");
        Folder.Write($"{Laboratory}/stat", $"{Laboratory} (lab) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0");
        Folder.Write("20/stat", $"20 (a (b\u001b) c) R 1 1 1 0 -1 0 0 0 0 0 {_busy} 0 0 0");
    }

    [Fact]
    public void Idle_machine_is_measured_at_once_and_nothing_is_said()
    {
        Assert.True(Wait(busyLooks: 0));
        Assert.Empty(_told);
        Assert.Equal(1, _pauses);
    }

    [Fact]
    public void Busy_machine_is_waited_for_and_the_program_is_named_once()
    {
        Assert.True(Wait(busyLooks: 3));
        Assert.Equal(4, _pauses);
        (string name, double processors) = Assert.Single(Assert.Single(_told));
        Assert.Equal("a (b) c", name);
        Assert.Equal(1, processors, 2);
    }

    [Fact]
    public void Machine_that_stays_busy_is_measured_after_ten_seconds()
    {
        Assert.False(Wait(busyLooks: int.MaxValue));
        Assert.Equal(9, _pauses);
    }

    [Fact]
    public void System_without_figures_is_not_waited_for() =>
        Assert.True(IdleMachine.Wait(_told.Add, () => throw new InvalidOperationException(), Laboratory, Folder["missing"]));

    [Fact]
    public void Stop_ends_the_wait()
    {
        Write();
        Assert.True(IdleMachine.Wait(_told.Add, () => true, Laboratory, Folder.Path));
    }
}
