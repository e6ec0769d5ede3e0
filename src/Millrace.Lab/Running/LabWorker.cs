namespace Millrace.Lab.Running;

/// <summary>The part of the laboratory that runs in separate processes: reads a request, measures, writes the result.</summary>
internal static class LabWorker
{
    /// <summary>The only argument of a worker's command line.</summary>
    public const string Argument = "lab-worker";

    /// <summary>Does the work. Standard input and output belong to the laboratory that started the process.</summary>
    /// <returns>The process's exit code: 0 when a last message was written.</returns>
    public static int Run()
    {
        using var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
        using var input = new StreamReader(Console.OpenStandardInput(), Encoding.UTF8);

        // A library's output must not get between the messages.
        Console.SetOut(Console.Error);
        using var stop = new CancellationTokenSource();

        // Ctrl-C reaches all processes of a terminal. This one ends when its current invocation has ended; a second one
        // ends it at once.
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, context =>
        {
            context.Cancel = !stop.IsCancellationRequested;
            stop.Cancel();
        });
        string? line = input.ReadLine();
        WorkerRequest? request = line is null
            ? null
            : JsonSerializer.Deserialize(line, WorkerJson.Default.WorkerRequest);
        if (request is null)
        {
            Console.Error.WriteLine($"{Argument} is used only by the laboratory: run millrace lab.");
            return 1;
        }

        if (request.Spins)
        {
            return BusyProcessors.Spin(input, line => Write(output, line));
        }

        if (request.Serve is { } serve)
        {
            return Serve(serve, input, output);
        }

        WorkerMessage result = Answer(request, new WorkerProgress(input, output, stop), stop.Token);
        Write(output, result);
        return 0;
    }

    private static int Serve(ServeRequest request, StreamReader input, StreamWriter output)
    {
        try
        {
            using IServedFiles served = SuiteCatalog.Find(request.Suite).Serve(request);
            Write(output, new WorkerMessage { Address = served.Address });
            while (input.ReadLine() is not null)
            {
                // Until the laboratory, or its death, closes the other end.
            }
        }
        catch (LabException exception)
        {
            Write(output, new WorkerMessage { Problem = exception.Message });
        }

        return 0;
    }

    private static void Write(StreamWriter output, WorkerMessage message) =>
        output.WriteLine(JsonSerializer.Serialize(message, WorkerJson.Default.WorkerMessage));

    private static WorkerMessage Answer(WorkerRequest request, ILabProgress progress, CancellationToken stop)
    {
        try
        {
            return request.Launch is { } launch
                ? new WorkerMessage { Launch = SuiteLaunch.Run(SuiteCatalog.Find(launch.Suite), launch, progress, stop) }
                : new WorkerMessage { Memory = CaseMemory.Measure(SuiteCatalog.Find(request.Memory!.Suite), request.Memory) };
        }
        catch (LabException exception)
        {
            return new WorkerMessage { Problem = exception.Message };
        }
    }
}

/// <summary>Reports a worker's progress to the laboratory, which answers whether to go on.</summary>
/// <param name="stop">Is cancelled when the answer is not to go on, or when the laboratory is gone.</param>
internal sealed class WorkerProgress(TextReader input, TextWriter output, CancellationTokenSource stop) : ILabProgress
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    private long _reported;

    public void Phase(string name) => Send(new WorkerMessage { Phase = name });

    public void Report(double done, TimeSpan? left, string current)
    {
        if (Stopwatch.GetElapsedTime(_reported) >= Interval)
        {
            Send(new WorkerMessage { Done = done, Left = left, Current = current });
            _reported = Stopwatch.GetTimestamp();
        }
    }

    public void Note(string text) => Send(new WorkerMessage { Note = text });

    private void Send(WorkerMessage message)
    {
        try
        {
            output.WriteLine(JsonSerializer.Serialize(message, WorkerJson.Default.WorkerMessage));
            if (input.ReadLine() != WorkerMessage.Go)
            {
                stop.Cancel();
            }
        }
        catch (IOException)
        {
            // The laboratory has gone.
            stop.Cancel();
        }
    }
}
