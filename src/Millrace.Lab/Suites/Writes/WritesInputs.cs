using Millrace.Lab.Data;

namespace Millrace.Lab.Suites.Writes;

/// <summary>The files that cases of copying and scanning read, as the list that a run hands to its processes.</summary>
internal sealed class WritesInputs
{
    private const long SmallBytes = 512 * ByteSize.KiB;
    private const int SmallIntegersAt = 0;
    private const int FirstLinesAt = 1;
    private const int TextAt = 2;
    private const int IntegersAt = 3;

    /// <summary>Takes the list apart.</summary>
    public WritesInputs(IReadOnlyList<TestFile> files) => Files = files;

    /// <summary>All of them; the last one is the large one.</summary>
    public IReadOnlyList<TestFile> Files { get; }

    /// <summary>What warm-ups copy and sum.</summary>
    public TestFile SmallIntegers => Files[SmallIntegersAt];

    /// <summary>What warm-ups count the lines of.</summary>
    public TestFile FirstLines => Files[FirstLinesAt];

    /// <summary>What lines are counted of.</summary>
    public TestFile Text => Files[TextAt];

    /// <summary>What is copied and summed.</summary>
    public TestFile Integers => Files[IntegersAt];

    /// <summary>The folder that results go to.</summary>
    public string Folder => ResultFolder.In(Path.GetDirectoryName(Integers.Path)!);

    /// <summary>The files of a folder, which are not made by this.</summary>
    /// <param name="data">The laboratory's folder.</param>
    /// <param name="bytes">Length of the large one.</param>
    public static WritesInputs In(string data, long bytes) => new(
    [
        TestFile.OfIncrements(data, Math.Min(SmallBytes, bytes)),
        TestFile.OfFirstLines(data),
        TestFile.OfManyLines(data),
        TestFile.OfIncrements(data, bytes),
    ]);
}
