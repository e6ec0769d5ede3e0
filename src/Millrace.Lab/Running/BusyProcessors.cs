namespace Millrace.Lab.Running;

/// <summary>Other work: a process per processor that computes until this object is disposed of, or this process dies.</summary>
/// <remarks>
/// Each reads a pipe whose other end only this process has. When this process ends, however it does, the kernel closes the pipe.
/// They ignore the first Ctrl-C, as all workers do: the laboratory ends the invocation that it measures before it ends them.
/// </remarks>
internal sealed class BusyProcessors : IDisposable
{
    private static readonly TimeSpan TimeToEnd = TimeSpan.FromSeconds(10);

    private readonly List<Process> _processes = [];

    private BusyProcessors()
    {
    }

    public IEnumerable<int> Ids => _processes.Select(process => process.Id);

    /// <summary>Returns when all of them compute.</summary>
    /// <param name="command">What starts a worker; null for the running program.</param>
    public static BusyProcessors Start(WorkerCommand? command = null)
    {
        command ??= WorkerCommand.Self();
        var busy = new BusyProcessors();
        try
        {
            for (int i = 0; i < Environment.ProcessorCount; i++)
            {
                busy._processes.Add(command.Start());
            }

            foreach (Process process in busy._processes)
            {
                process.StandardInput.WriteLine(
                    JsonSerializer.Serialize(new WorkerRequest { Spins = true }, WorkerJson.Default.WorkerRequest));
                if (process.StandardOutput.ReadLine() is null)
                {
                    throw new LabException("A process that was to keep a processor busy ended at once.");
                }
            }

            return busy;
        }
        catch
        {
            busy.Dispose();
            throw;
        }
    }

    /// <summary>The work of one of the processes.</summary>
    /// <param name="answer">Sends a message.</param>
    public static int Spin(TextReader input, Action<WorkerMessage> answer)
    {
        var watch = new Thread(() =>
        {
            while (input.ReadLine() is not null)
            {
                // Until the other end is closed.
            }

            Environment.Exit(0);
        });
        watch.Start();
        answer(new WorkerMessage { Phase = "computing" });
        ulong value = 1;
        while (value != 0)
        {
            // An odd number stays odd.
            value *= 6364136223846793005;
        }

        return 0;
    }

    public void Dispose()
    {
        foreach (Process process in _processes)
        {
            try
            {
                process.StandardInput.Close();
            }
            catch (IOException)
            {
                // It has ended already.
            }
        }

        foreach (Process process in _processes)
        {
            if (!process.WaitForExit(TimeToEnd))
            {
                process.Kill();
                process.WaitForExit();
            }

            process.Dispose();
        }

        _processes.Clear();
    }
}
