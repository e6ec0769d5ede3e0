using System.Diagnostics;
using System.Globalization;

namespace Millrace.Testing;

/// <summary>One piece of memory that a system call read a file into, or wrote it from.</summary>
/// <param name="Name">Name of the call.</param>
/// <param name="Writes">Whether the file was written.</param>
/// <param name="Address">The memory.</param>
/// <param name="Bytes">Its length.</param>
/// <param name="Offset">Where in the file its first byte belongs.</param>
/// <param name="Path">The file.</param>
public sealed record TracedCall(string Name, bool Writes, long Address, long Bytes, long Offset, string Path)
{
    private const int Page = 4096;

    /// <summary>How far the memory is ahead of the file, modulo a page: 0 is in step.</summary>
    public long Step => ((Address - Offset) % Page + Page) % Page;

    /// <summary>Whether the kernel copies to a place just after the one it copies from, modulo a page: docs/measuring.md.</summary>
    public bool IsSlow => (Writes ? Page - Step : Step) is > 0 and < 16;
}

/// <summary>The calls of a program that <c>steps.py</c> runs, on files below one folder.</summary>
public static class TracedCalls
{
    /// <summary>What less is moved in a call costs too little to matter, and is in memory of all kinds.</summary>
    private const int MinBytes = 512;

    /// <summary>Traces a program: the same command, run by the tracer.</summary>
    /// <param name="start">The command; changed.</param>
    /// <param name="log">Where the calls go; read them with <see cref="Read"/> when the program has ended.</param>
    /// <param name="folder">The required start of a file's path.</param>
    /// <param name="all">Whether every call on the files and the folder is written down, by <see cref="ReadNames"/>.</param>
    public static ProcessStartInfo Trace(ProcessStartInfo start, string log, string folder, bool all = false)
    {
        string[] command = [start.FileName, .. start.ArgumentList];
        start.FileName = "/usr/bin/python3";
        start.ArgumentList.Clear();
        string tracer = Path.Combine(Repository.Root, "tests", "Millrace.Testing", "steps.py");
        foreach (string argument in (string[])[tracer, .. all ? ["--calls"] : (string[])[], log, folder, .. command])
        {
            start.ArgumentList.Add(argument);
        }

        return start;
    }

    public static TracedCall[] Read(string log) =>
    [
        .. from line in File.ReadLines(log)
           let parts = line.Split(' ', 6)
           let call = new TracedCall(parts[0], parts[1] == "w", Number(parts[2]), Number(parts[3]), Number(parts[4]), parts[5])
           where call.Bytes >= MinBytes
           select call,
    ];

    /// <summary>The calls, in order: each a name and the path of the file, or of the folder that has it.</summary>
    public static (string Name, string Path)[] ReadNames(string log) =>
        [.. from line in File.ReadLines(log) let parts = line.Split(' ', 2) select (parts[0], parts[1])];

    private static long Number(string text) => (long)ulong.Parse(text, CultureInfo.InvariantCulture);
}
