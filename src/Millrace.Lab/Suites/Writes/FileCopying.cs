using System.Diagnostics;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>The benchmark: every way to copy a file. One invocation makes a new file that is like another.</summary>
[MemoryDiagnoser]
public class FileCopying : IMeasuredBenchmark
{
    /// <summary>The program that <see cref="Cp"/> runs.</summary>
    internal const string CpProgram = "/bin/cp";

    /// <summary>The folder of the copy.</summary>
    [ParamsSource(nameof(DefaultFolders))]
    public string Folder { get; set; } = "";

    /// <summary>What is copied.</summary>
    [ParamsSource(nameof(DefaultFiles))]
    public TestFile Source { get; set; } = null!;

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason => null;

    private string Result => ResultFolder.FileIn(Folder);

    /// <summary>The folder that is written to unless a plan says otherwise.</summary>
    public static IEnumerable<string> DefaultFolders() => FileWriting.DefaultFolders();

    /// <summary>The file that is copied unless a plan says otherwise.</summary>
    public static IEnumerable<TestFile> DefaultFiles() =>
        [TestFile.OfIncrements(DataFolder.Default, WritesPlan.LargeSize)];

    /// <summary>The framework's.</summary>
    [Benchmark(Baseline = true)]
    public long FileCopy()
    {
        File.Copy(Source.Path, Result);
        return Source.Bytes;
    }

    /// <summary>The system's own program, in a process of its own, which is waited for.</summary>
    [Benchmark]
    public long Cp()
    {
        using Process process = Process.Start(new ProcessStartInfo(CpProgram) { ArgumentList = { Source.Path, Result } })!;
        process.WaitForExit();
        return process.ExitCode == 0
            ? Source.Bytes
            : throw new IOException($"{CpProgram} {Source.Path} {Result} ended with {process.ExitCode}.");
    }

    /// <summary>Millrace, on the calling thread as the baseline.</summary>
    [Benchmark]
    public long FilePipeCopy()
    {
        CopyResult copy = FilePipe.Copy(
            Source.Path, Result, new FileCopyOptions { Durability = Durability.None });
        if (DescribesItself)
        {
            Description = copy.Method;
        }

        return copy.Length;
    }
}
