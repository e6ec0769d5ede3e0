using System.Globalization;
using System.Runtime.Versioning;

namespace Millrace.Lab.Meters;

/// <summary>The calls of the process that read, successful or not, as the kernel accounts for them anyway.</summary>
[SupportedOSPlatform("linux")]
internal sealed class ReadCallCounter : ICallCounter
{
    private const string Accounting = "/proc/self/io";
    private const string Field = "syscr:";

    private ReadCallCounter()
    {
    }

    /// <inheritdoc/>
    public string Source => "syscr of /proc/self/io";

    /// <summary>Opens the counter, or says why not.</summary>
    public static ICallCounter? TryOpen(out string? reason)
    {
        var counter = new ReadCallCounter();
        try
        {
            _ = counter.Read();
            reason = null;
            return counter;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or FormatException)
        {
            reason = $"{Accounting} cannot be read: {exception.Message}";
            return null;
        }
    }

    /// <inheritdoc/>
    public long Read()
    {
        foreach (string line in File.ReadLines(Accounting))
        {
            if (line.StartsWith(Field, StringComparison.Ordinal))
            {
                return long.Parse(line.AsSpan(Field.Length), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
            }
        }

        throw new FormatException($"no line {Field}");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
