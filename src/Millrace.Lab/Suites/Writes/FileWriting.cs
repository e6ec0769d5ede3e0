using BenchmarkDotNet.Attributes;
using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// The benchmark: every way to make a file. One invocation makes a new file, writes all of it and closes it; one with
/// <see cref="Millrace.Durability.OnCommit"/> also puts it on the device, under its name.
/// </summary>
[MemoryDiagnoser]
public partial class FileWriting : IMeasuredBenchmark
{
    private byte[] _all = [];
    private string _result = "";
    private string _temporary = "";

    /// <summary>The folder of the file; no other case writes there meanwhile.</summary>
    [ParamsSource(nameof(DefaultFolders))]
    public string Folder { get; set; } = "";

    /// <summary>Length of the file.</summary>
    [Params(WritesPlan.LargeSize)]
    public long Bytes { get; set; }

    /// <summary>How many bytes the method is given at a time.</summary>
    [Params(512, 4096, 65536, 1048576)]
    public int Chunk { get; set; }

    /// <summary>When the bytes are on the device.</summary>
    [Params(Durability.None, Durability.OnCommit)]
    public Durability Durability { get; set; }

    /// <summary>Whether the method is given everything at once, in an array that was made before.</summary>
    [Params(false)]
    public bool AllAtOnce { get; set; }

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason { get; private set; }

    private bool IsDurable => Durability != Durability.None;

    /// <summary>The folder that is written to unless a plan says otherwise.</summary>
    public static IEnumerable<string> DefaultFolders() => [ResultFolder.In(DataFolder.Default)];

    /// <summary>Makes what is made once for all invocations.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _result = ResultFolder.FileIn(Folder);
        _temporary = _result + ".tmp";
        _all = AllAtOnce ? WrittenContent.All(Bytes, Chunk) : [];
    }

    /// <summary>
    /// Gives a durable file its name, which its bytes reached the device before. The folder of the smallest file, too, is
    /// flushed: there it is a good part of the price.
    /// </summary>
    private long Publish()
    {
        if (IsDurable)
        {
            bool withFolder = Bytes <= WritesPlan.SmallSize;
            File.Move(_temporary, _result);
            if (withFolder)
            {
                FolderFlush.Flush(Folder);
            }

            if (DescribesItself)
            {
                Description = "Flush(true), File.Move" + (withFolder ? ", flush of the folder" : "");
            }
        }

        return Bytes;
    }
}
