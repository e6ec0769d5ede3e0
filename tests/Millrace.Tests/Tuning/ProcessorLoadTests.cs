using System.Text;
using Millrace.Tuning;

namespace Millrace.Tests.Tuning;

/// <summary>A second thread is used where a processor may be idle.</summary>
public sealed class ProcessorLoadTests
{
    [Theory]
    [InlineData("0.41 0.20 0.09 3/512 4242\n", 3)]
    [InlineData("128.00 99.99 10.00 1024/99999 1\n", 1024)]
    [InlineData("0.41 0.20 0.09 3", 0)]
    [InlineData("a b c d/e", 0)]
    [InlineData("", 0)]
    public void Runnable_threads_are_the_fourth_field(string line, int count) =>
        Assert.Equal(count, ProcessorLoad.CountRunnable(Encoding.ASCII.GetBytes(line)));

    [Theory]
    [InlineData("0-1\n", 2)]
    [InlineData("0\n", 1)]
    [InlineData("0-3,6,8-9\n", 7)]
    [InlineData("", int.MaxValue)]
    [InlineData("all", int.MaxValue)]
    public void Processors_are_counted_in_ranges(string ranges, int count) =>
        Assert.Equal(count, ProcessorLoad.CountProcessors(ranges));

    [NeedsFact(Need.Linux)]
    public async Task Auto_reads_with_one_thread_while_every_processor_has_work()
    {
        string path = TestFolder.NewPath();
        await using (FileStream file = File.Create(path))
        {
            file.SetLength(64 * 1024 * 1024);
        }

        bool done = false;
        var spinning = new CountdownEvent(Environment.ProcessorCount + 1);
        Thread[] threads = [.. Enumerable.Range(0, spinning.InitialCount).Select(_ => new Thread(Spin))];
        Array.ForEach(threads, thread => thread.Start());
        spinning.Wait();
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        Volatile.Write(ref done, true);
        Array.ForEach(threads, thread => thread.Join());

        Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
        Assert.StartsWith(
            Environment.ProcessorCount == 1 ? "one processor" : "a second thread would find no idle processor",
            reader.StrategyReason,
            StringComparison.Ordinal);

        void Spin()
        {
            spinning.Signal();
            while (!Volatile.Read(ref done))
            {
                Thread.SpinWait(1);
            }
        }
    }
}
