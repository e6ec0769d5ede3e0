using System.Diagnostics;
using System.Globalization;
using Millrace.Lab.Tests.Child;

namespace Millrace.Lab.Tests.Running;

/// <summary>The bytes of large objects, in a process that does nothing else.</summary>
public sealed class LargeObjectsTests
{
    private const int ArrayHeader = 24;

    [Fact]
    public void Large_objects_are_counted_exactly_and_small_ones_are_not()
    {
        string[] lines = Measure();
        string large = (MeasuredLargeObjects.Large * (MeasuredLargeObjects.LargeBytes + ArrayHeader)).ToString(CultureInfo.InvariantCulture);
        Assert.Equal(["unknown", "0", large, large, "0", "unknown"], lines);
    }

    private static string[] Measure()
    {
        var start = new ProcessStartInfo("dotnet", [ChildProgram.Path, "large-objects"])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
    }
}
