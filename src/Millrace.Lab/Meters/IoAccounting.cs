using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Meters;

/// <summary>
/// /proc/self/io: the kernel's own accounting of all threads, at no cost for the calls that it counts.
/// proc_pid_io(5). Allocates nothing when read. Not thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class IoAccounting : IDisposable
{
    public const string Path = "/proc/self/io";

    // Seven lines of a name and a 64-bit number.
    private const int MaximumBytes = 512;

    private readonly SafeFileHandle _file;

    private IoAccounting(SafeFileHandle file) => _file = file;

    public static IoAccounting? TryOpen(out string? reason)
    {
        try
        {
            var accounting = new IoAccounting(File.OpenHandle(Path));
            _ = accounting.Read(default, out _);
            reason = null;
            return accounting;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or FormatException)
        {
            reason = $"{Path} cannot be read: {exception.Message}";
            return null;
        }
    }

    /// <summary>Reads it into counters. What this very call reads is not in them, but in those of the next one.</summary>
    /// <param name="ownBytes">How much that will be, bytes; it is one call.</param>
    public ProcessCounters Read(in ProcessCounters others, out int ownBytes)
    {
        Span<byte> text = stackalloc byte[MaximumBytes];
        ownBytes = RandomAccess.Read(_file, text, fileOffset: 0);
        ReadOnlySpan<byte> content = text[..ownBytes];
        return others with
        {
            LogicalReadBytes = Field(content, "rchar: "u8),
            LogicalWriteBytes = Field(content, "wchar: "u8),
            ReadCalls = Field(content, "syscr: "u8),
            WriteCalls = Field(content, "syscw: "u8),
            PhysicalReadBytes = Field(content, "\nread_bytes: "u8),
            PhysicalWriteBytes = Field(content, "\nwrite_bytes: "u8),
        };
    }

    public void Dispose() => _file.Dispose();

    private static long Field(ReadOnlySpan<byte> content, ReadOnlySpan<byte> name)
    {
        int start = content.IndexOf(name);
        return start >= 0 && Utf8Parser.TryParse(content[(start + name.Length)..], out long value, out _)
            ? value
            : throw new FormatException($"{Path} has no number for {System.Text.Encoding.ASCII.GetString(name)}");
    }
}
