using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tuning;

/// <summary>Whether a second thread would find a processor, or only take turns with the first. Thread-safe.</summary>
/// <remarks>
/// The kernel counts the threads that run or could run, on the whole machine: the fourth field of /proc/loadavg (proc_loadavg(5)). The
/// averages before it are of the last minute and more, which is too late for one file.
/// </remarks>
internal static class ProcessorLoad
{
    private const int LongestLine = 128;

    private static readonly SafeFileHandle? Counts = Open();
    private static readonly int Processors = Counts is null ? 0 : CountProcessors();

    /// <summary>Whether more threads could run than there are processors, the caller counted; false where they are not counted.</summary>
    public static bool IsFull
    {
        get
        {
            Span<byte> line = stackalloc byte[LongestLine];
            try
            {
                return Counts is not null && CountRunnable(line[..RandomAccess.Read(Counts, line, 0)]) > Processors;
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                return false;
            }
        }
    }

    /// <summary>The threads that could run, from a line such as <c>0.41 0.20 0.09 3/512 4242</c>; 0 if it is not one.</summary>
    public static int CountRunnable(ReadOnlySpan<byte> line)
    {
        const int averages = 3;
        for (int i = 0; i < averages; i++)
        {
            line = line[(line.IndexOf((byte)' ') + 1)..];
        }

        return Utf8Parser.TryParse(line, out int count, out int read) && read < line.Length && line[read] == '/' ? count : 0;
    }

    /// <summary>The processors of the machine, from ranges such as <c>0-3,6</c>: not those that this process may use.</summary>
    public static int CountProcessors(ReadOnlySpan<char> ranges)
    {
        int count = 0;
        foreach (Range part in ranges.Split(','))
        {
            ReadOnlySpan<char> range = ranges[part].Trim();
            int dash = range.IndexOf('-');
            if (!int.TryParse(dash < 0 ? range : range[..dash], out int first)
                || !int.TryParse(range[(dash + 1)..], out int last))
            {
                return int.MaxValue;
            }

            count += last - first + 1;
        }

        return count;
    }

    private static SafeFileHandle? Open()
    {
        try
        {
            return OperatingSystem.IsLinux() ? File.OpenHandle("/proc/loadavg", share: FileShare.ReadWrite) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static int CountProcessors()
    {
        try
        {
            return CountProcessors(File.ReadAllText("/sys/devices/system/cpu/online"));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return int.MaxValue;
        }
    }
}
