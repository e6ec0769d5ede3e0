using System.Reflection;

namespace Millrace.Lab.Running;

/// <summary>Where launches run: in their own processes or, for tests, in this one.</summary>
internal interface ILaunchHost
{
    /// <exception cref="LabException">It could not begin; the message has the reason.</exception>
    LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop);

    MemoryResult MeasureMemory(MemoryRequest request);

    IServedFiles Serve(ServeRequest request);
}

internal sealed class WorkerHost(WorkerCommand command) : ILaunchHost
{
    private const string TieredCompilation = "DOTNET_TieredCompilation";

    // The end of a crashing process' output matters.
    private const int LinesOfErrorKept = 12;

    private static readonly TimeSpan TimeToEnd = TimeSpan.FromSeconds(10);

    public LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        WorkerMessage last = Converse(new WorkerRequest { Launch = request }, progress, stop);
        return last.Launch ?? throw new LabException(last.Problem ?? "The worker measured something else.");
    }

    public MemoryResult MeasureMemory(MemoryRequest request)
    {
        try
        {
            WorkerMessage last = Converse(new WorkerRequest { Memory = request }, progress: null, CancellationToken.None);
            return last.Memory ?? MemoryResult.Unavailable(last.Problem ?? "the worker measured something else");
        }
        catch (LaunchFailedException exception)
        {
            return MemoryResult.Unavailable(exception.Message);
        }
    }

    public IServedFiles Serve(ServeRequest request)
    {
        var errors = new Queue<string>();
        var all = new WorkerRequest { Serve = request };
        Process process = Start(all, errors);
        string? line = null;
        try
        {
            process.StandardInput.WriteLine(JsonSerializer.Serialize(all, WorkerJson.Default.WorkerRequest));
            line = process.StandardOutput.ReadLine();
        }
        catch (IOException)
        {
            // It died while it was written to; the next read reports it.
        }

        WorkerMessage? message = line is null
            ? null
            : JsonSerializer.Deserialize(line, WorkerJson.Default.WorkerMessage);
        if (message?.Address is { } address)
        {
            return new Server(process, address);
        }

        End(process);
        string problem = message?.Problem ?? DescribeExit(process, errors);
        process.Dispose();
        throw new LabException($"The server for the run could not be started: {problem}");
    }

    private WorkerMessage Converse(WorkerRequest request, ILabProgress? progress, CancellationToken stop)
    {
        var errors = new Queue<string>();
        using Process process = Start(request, errors);
        try
        {
            process.StandardInput.WriteLine(JsonSerializer.Serialize(request, WorkerJson.Default.WorkerRequest));
            while (process.StandardOutput.ReadLine() is { } line)
            {
                WorkerMessage message = JsonSerializer.Deserialize(line, WorkerJson.Default.WorkerMessage)!;
                if (message.IsLast)
                {
                    return message;
                }

                Show(message, progress);
                process.StandardInput.WriteLine(stop.IsCancellationRequested ? WorkerMessage.Stop : WorkerMessage.Go);
            }
        }
        catch (JsonException exception)
        {
            throw new LaunchFailedException($"it answered with something else than a message: {exception.Message}");
        }
        catch (IOException)
        {
            // It died while it was written to; the next read reports it.
        }
        finally
        {
            End(process);
        }

        throw new LaunchFailedException(DescribeExit(process, errors));
    }

    private Process Start(WorkerRequest request, Queue<string> errors)
    {
        Process process = command.Start(start =>
        {
            start.RedirectStandardError = true;
            if (request.Memory is not null)
            {
                // All code is compiled at its first call, before the measured one: the compiler's memory is not the method's.
                start.Environment[TieredCompilation] = "0";
            }

            // The user's settings stay, and results record them.
            foreach ((string name, string value) in SuiteCatalog.Find(request.Suite).Environment)
            {
                start.Environment.TryAdd(name, value);
            }
        });
        process.ErrorDataReceived += (_, line) =>
        {
            if (line.Data is { } text)
            {
                lock (errors)
                {
                    errors.Enqueue(text);
                    if (errors.Count > LinesOfErrorKept)
                    {
                        errors.Dequeue();
                    }
                }
            }
        };
        process.BeginErrorReadLine();
        return process;
    }

    private static void Show(WorkerMessage message, ILabProgress? progress)
    {
        if (message.Phase is { } phase)
        {
            progress?.Phase(phase);
        }
        else if (message.Note is { } note)
        {
            progress?.Note(note);
        }
        else
        {
            progress?.Report(message.Done, message.Left, message.Current ?? "");
        }
    }

    // A worker whose input ends, ends.
    private static void End(Process process)
    {
        try
        {
            process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has ended already.
        }

        if (!process.WaitForExit(TimeToEnd))
        {
            process.Kill();
        }

        // Without a limit it waits for the last lines of standard error, too.
        process.WaitForExit();
    }

    private static string DescribeExit(Process process, Queue<string> errors)
    {
        const int KilledBySignal = 128;
        string end = process.ExitCode > KilledBySignal
            ? $"its process was ended by signal {process.ExitCode - KilledBySignal}"
            : $"its process ended with exit code {process.ExitCode}";
        lock (errors)
        {
            return errors.Count == 0 ? $"{end}." : $"{end}: {string.Join(Environment.NewLine, errors)}";
        }
    }

    private sealed class Server(Process process, Uri address) : IServedFiles
    {
        public Uri Address => address;

        public void Dispose()
        {
            End(process);
            process.Dispose();
        }
    }
}

/// <summary>A launch's process died. Others may still complete.</summary>
internal sealed class LaunchFailedException(string message) : Exception(message);

/// <summary>The command that starts a worker: a process that calls <see cref="LabWorker.Run"/>.</summary>
internal sealed record WorkerCommand(string FileName, IReadOnlyList<string> Arguments)
{
    /// <summary>The running program, with the argument that makes it a worker.</summary>
    public static WorkerCommand Self()
    {
        string program = Environment.ProcessPath
            ?? throw new LabException("The system does not say which program this is, so it cannot be started again.");
        bool isHost = Path.GetFileNameWithoutExtension(program).Equals("dotnet", StringComparison.OrdinalIgnoreCase);
        return isHost
            ? new WorkerCommand(program, [Assembly.GetEntryAssembly()!.Location, LabWorker.Argument])
            : new WorkerCommand(program, [LabWorker.Argument]);
    }

    /// <summary>Starts the worker, with its standard input and output redirected.</summary>
    /// <exception cref="LaunchFailedException">It could not be started.</exception>
    public Process Start(Action<ProcessStartInfo>? configure = null)
    {
        var start = new ProcessStartInfo(FileName, Arguments)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            StandardInputEncoding = new UTF8Encoding(false),
            StandardOutputEncoding = Encoding.UTF8,
        };
        configure?.Invoke(start);
        Process process = Process.Start(start) ?? throw new LaunchFailedException($"{FileName} could not be started.");
        process.StandardInput.AutoFlush = true;
        return process;
    }
}
