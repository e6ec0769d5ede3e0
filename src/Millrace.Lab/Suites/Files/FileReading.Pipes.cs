using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Files;

public partial class FileReading
{
    /// <summary>Millrace, strategy Auto.</summary>
    [Benchmark]
    public ValueTask<long> FilePipe() => ConsumeAsync<AutoRow>(OpenPipe(ReadStrategy.Auto));

    /// <summary>Millrace, strategy Buffered.</summary>
    [Benchmark]
    public ValueTask<long> FilePipeBuffered() => ConsumeAsync<BufferedRow>(OpenPipe(ReadStrategy.Buffered));

    /// <summary>Millrace, strategy ReadAhead.</summary>
    [Benchmark]
    public ValueTask<long> FilePipeReadAhead() => ConsumeAsync<ReadAheadRow>(OpenPipe(ReadStrategy.ReadAhead));

    /// <summary>Millrace, strategy Mapped.</summary>
    [Benchmark]
    public ValueTask<long> FilePipeMapped() => ConsumeAsync<MappedRow>(OpenPipe(ReadStrategy.Mapped));

    /// <summary>Millrace, strategy Direct.</summary>
    [Benchmark]
    public ValueTask<long> FilePipeDirect() => ConsumeAsync<DirectRow>(OpenPipe(ReadStrategy.Direct));

    private FilePipeReader OpenPipe(ReadStrategy strategy)
    {
        FilePipeReader reader = Millrace.FilePipe.OpenRead(
            Source.Path, new FileReadOptions { BufferSize = Buffer, Strategy = strategy });
        if (DescribesItself)
        {
            Description = reader.Strategy.ToString();
            DescriptionReason = reader.StrategyReason;
        }

        return reader;
    }

    private readonly struct AutoRow;

    private readonly struct BufferedRow;

    private readonly struct ReadAheadRow;

    private readonly struct MappedRow;

    private readonly struct DirectRow;
}
