using System.Buffers.Text;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Meters;

/// <summary>
/// /proc/self/io: what the kernel accounts for anyway, of all threads, at no cost for the calls that it counts.
/// proc_pid_io(5). Allocates nothing when read. Not thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class IoAccounting : IDisposable
{
    /// <summary>The file.</summary>
    public const string Path = "/proc/self/io";

    // Seven lines of a name and a 64-bit number.
    private const int MaximumBytes = 512;

    private readonly SafeFileHandle _file;

    private IoAccounting(SafeFileHandle file) => _file = file;

    /// <summary>Opens it, or says why not.</summary>
    public static IoAccounting? TryOpen(out string? reason)
    {
        try
        {
            var accounting = new IoAccounting(File.OpenHandle(Path));
            _ = accounting.Read();
            reason = null;
            return accounting;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or FormatException)
        {
            reason = $"{Path} cannot be read: {exception.Message}";
            return null;
        }
    }

    /// <summary>Reads it. What this very call reads is not in the result, but in that of the next one.</summary>
    public Counts Read()
    {
        Span<byte> text = stackalloc byte[MaximumBytes];
        int length = RandomAccess.Read(_file, text, fileOffset: 0);
        ReadOnlySpan<byte> content = text[..length];
        return new Counts(
            Field(content, "rchar: "u8), Field(content, "read_bytes: "u8), Field(content, "syscr: "u8), length);
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    private static long Field(ReadOnlySpan<byte> content, ReadOnlySpan<byte> name)
    {
        int start = content.IndexOf(name);
        return start >= 0 && Utf8Parser.TryParse(content[(start + name.Length)..], out long value, out _)
            ? value
            : throw new FormatException($"{Path} has no number for {System.Text.Encoding.ASCII.GetString(name)}");
    }

    /// <summary>One reading.</summary>
    /// <param name="LogicalReadBytes">rchar.</param>
    /// <param name="PhysicalReadBytes">read_bytes.</param>
    /// <param name="ReadCalls">syscr.</param>
    /// <param name="OwnBytes">What the reading itself adds to rchar; it adds 1 to syscr.</param>
    public readonly record struct Counts(long LogicalReadBytes, long PhysicalReadBytes, long ReadCalls, int OwnBytes);
}
