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

    /// <summary>What is measured.</summary>
    public IEnumerable<TestFile> Measured => Files.Skip(1);

    /// <summary>The laboratory's folder for transfers.</summary>
    public string Folder => Path.GetDirectoryName(Path.GetDirectoryName(Files[0].Path))!;

    /// <summary>The files of a folder, which are not made by this.</summary>
    /// <param name="data">The laboratory's folder.</param>
    /// <param name="mode">In full mode a large one, too.</param>
    /// <param name="large">Bytes of the large one.</param>
    public static TransfersInputs In(string data, LabMode mode, long large)
    {
        string folder = TransferFolders.Server(TransferFolders.In(data));
        TestFile small = TestFile.OfRandom(folder, SmallBytes);
        TestFile csv = TestFile.OfCsv(folder);
        return new(mode == LabMode.Quick ? [small, csv] : [small, csv, TestFile.OfRandom(folder, large)]);
    }
}
