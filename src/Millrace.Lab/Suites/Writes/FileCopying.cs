namespace Millrace.Lab.Suites.Writes;

/// <summary>The benchmark: every way to copy a file. One invocation makes a new file that is like another.</summary>
internal sealed class FileCopying(CopyCase planned) : CaseMethod
{
    internal const string CpProgram = "/bin/cp";

    /// <remarks>Wine shows it, too, and cannot run it.</remarks>
    internal static bool HasCp => !OperatingSystem.IsWindows() && File.Exists(CpProgram);

    private readonly TestFile _source = planned.File;
    private readonly string _result = ResultFolder.FileIn(planned.Folder);

    public override Func<long> Find(string name) => name switch
    {
        nameof(FileCopy) => FileCopy,
        nameof(Cp) => Cp,
        nameof(FilePipeCopy) => FilePipeCopy,
        _ => throw Unknown(name),
    };

    public long FileCopy()
    {
        File.Copy(_source.Path, _result);
        return _source.Bytes;
    }

    // The system's program, in a separate process that the method waits for.
    public long Cp()
    {
        using Process process = Process.Start(new ProcessStartInfo(CpProgram) { ArgumentList = { _source.Path, _result } })!;
        process.WaitForExit();
        return process.ExitCode == 0
            ? _source.Bytes
            : throw new IOException($"{CpProgram} {_source.Path} {_result} ended with {process.ExitCode}.");
    }

    /// <summary>Millrace, on the calling thread as the baseline.</summary>
    public long FilePipeCopy()
    {
        CopyResult copy = FilePipe.Copy(
            _source.Path, _result, new FileCopyOptions { Durability = Durability.None });
        if (DescribesItself)
        {
            Description = copy.Method;
        }

        return copy.Length;
    }
}
