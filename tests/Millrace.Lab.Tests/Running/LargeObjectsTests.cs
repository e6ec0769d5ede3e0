using Millrace.Lab.Tests.Child;

namespace Millrace.Lab.Tests.Running;

/// <summary>The bytes of large objects, in a process that does nothing else.</summary>
public sealed class LargeObjectsTests
{
    private const int ArrayHeader = 24;

    [Fact]
    public void Large_objects_are_counted_exactly_and_small_ones_are_not()
    {
        string[] lines = ChildProgram.Run("large-objects")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string large = (MeasuredLargeObjects.Large * (MeasuredLargeObjects.LargeBytes + ArrayHeader)).ToString(CultureInfo.InvariantCulture);
        Assert.Equal(["unknown", "0", large, large, "0", "unknown"], lines);
    }
}
