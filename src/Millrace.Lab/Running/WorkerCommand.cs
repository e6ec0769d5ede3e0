using System.Reflection;

namespace Millrace.Lab.Running;

/// <summary>The command that starts a worker: a process that calls <see cref="LabWorker.Run"/>.</summary>
/// <param name="FileName">The program.</param>
/// <param name="Arguments">Its arguments.</param>
public sealed record WorkerCommand(string FileName, IReadOnlyList<string> Arguments)
{
    /// <summary>The running program once more, with the argument that makes it a worker.</summary>
    public static WorkerCommand Self()
    {
        string program = Environment.ProcessPath
            ?? throw new LabException("The system does not say which program this is, so it cannot be started again.");
        bool isHost = Path.GetFileNameWithoutExtension(program).Equals("dotnet", StringComparison.OrdinalIgnoreCase);
        return isHost
            ? new WorkerCommand(program, [Assembly.GetEntryAssembly()!.Location, LabWorker.Argument])
            : new WorkerCommand(program, [LabWorker.Argument]);
    }
}
