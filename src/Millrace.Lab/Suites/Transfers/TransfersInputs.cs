using Millrace.Lab.Data;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The files that are moved, as the list that a run hands to its processes.</summary>
internal sealed class TransfersInputs
{
    // Longer than what a client may send in one piece because it is small.
    private const long SmallBytes = 512 * ByteSize.KiB;

    /// <summary>Takes the list apart.</summary>
    public TransfersInputs(IReadOnlyList<TestFile> files) => Files = files;

    /// <summary>All of them: that of warm-ups, then those that are measured.</summary>
    public IReadOnlyList<TestFile> Files { get; }

    /// <summary>What warm-ups move.</summary>
    public TestFile Small => Files[0];

    /// <summary>The file of most cases, like that of the published figures.</summary>
    public TestFile Published => Files[1];

    /// <summary>The large one; null in a run without it.</summary>
    public TestFile? Large => Files.Count > 2 ? Files[2] : null;

    /// <summary>The laboratory's folder for transfers.</summary>
    public string Folder => Path.GetDirectoryName(Path.GetDirectoryName(Files[0].Path))!;

    /// <summary>The files that cases can be planned with, which are not made by this.</summary>
    /// <param name="data">The laboratory's folder.</param>
    /// <param name="large">Bytes of the large one.</param>
    public static TransfersInputs In(string data, long large)
    {
        string folder = TransferFolders.Server(TransferFolders.In(data));

        // Its checksum, which takes seconds to compute, is of no interest in a run that does without it.
        var planned = new TestFile(Path.Combine(folder, "large"), large, Checksum: 0, Generated: true)
        {
            Content = FileContent.Random,
        };
        return new([TestFile.OfRandom(folder, SmallBytes), TestFile.OfCsv(folder), planned]);
    }

    /// <summary>The same with the large one as it will be, or without it.</summary>
    public TransfersInputs With(bool large) => new(
        large
            ? [Small, Published, TestFile.OfRandom(Path.GetDirectoryName(Small.Path)!, Large!.Bytes)]
            : [Small, Published]);
}
