using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Writes;

public partial class FileWriting
{
    /// <summary>
    /// Millrace, strategy Auto, with a commit that waits on the calling thread, as the baseline's flush does. The other two
    /// have the pool wait, as a service would.
    /// </summary>
    [Benchmark]
    public ValueTask<long> FilePipe() => WriteAsync<AutoRow>(WriteStrategy.Auto);

    /// <summary>Millrace, strategy WriteBehind.</summary>
    [Benchmark]
    public ValueTask<long> FilePipeWriteBehind() => WriteAsync<WriteBehindRow>(WriteStrategy.WriteBehind);

    /// <summary>Millrace, strategy Direct.</summary>
    [Benchmark]
    public ValueTask<long> FilePipeDirect() => WriteAsync<DirectRow>(WriteStrategy.Direct);

    private async ValueTask<long> WriteAsync<TRow>(WriteStrategy strategy)
        where TRow : struct
    {
        FilePipeWriter writer = Millrace.FilePipe.Create(
            _result, new FileWriteOptions { Durability = Durability, Strategy = strategy });
        await using (writer.ConfigureAwait(false))
        {
            if (strategy != WriteStrategy.Auto && writer.Strategy != strategy)
            {
                throw new InvalidOperationException(
                    $"{strategy} was asked for and the file is written {writer.Strategy}: {writer.StrategyReason}");
            }

            if (DescribesItself)
            {
                Description = writer.Strategy.ToString();
                DescriptionReason = writer.StrategyReason;
            }

            await PipeFeeder<TRow>.WriteAsync(writer, Bytes, Chunk).ConfigureAwait(false);
            return strategy == WriteStrategy.Auto
                ? writer.Commit().Length
                : (await writer.CommitAsync().ConfigureAwait(false)).Length;
        }
    }

    private readonly struct AutoRow;

    private readonly struct WriteBehindRow;

    private readonly struct DirectRow;
}
