namespace Millrace.Tests.Contract;

/// <summary>The end of the file.</summary>
public sealed class EndTests : ContractTests
{
    [Theory, EveryReader]
    public async Task Every_read_at_the_end_reports_it(string name)
    {
        foreach (int length in new[] { 0, 100 })
        {
            PipeReader reader = Open(name, length);
            await reader.AssertRestAsync(0, length);

            for (int turn = 0; turn < 3; turn++)
            {
                ReadResult result = await reader.ReadAsync().Soon();
                Assert.True(result is { IsCompleted: true, IsCanceled: false });
                Assert.True(result.Buffer.IsEmpty);
                reader.AdvanceTo(result.Buffer.End);
            }
        }
    }

    [Theory, EveryReader]
    public async Task Bytes_left_at_the_end_come_again_with_the_end(string name)
    {
        PipeReader reader = Open(name, 100);
        ReadResult result = await reader.ReadAtLeastAsync(101).Soon();
        Assert.True(result.IsCompleted);

        for (int consumed = 0; consumed < 100; consumed += 20)
        {
            reader.AdvanceTo(result.Buffer.GetPosition(20), result.Buffer.End);
            result = await reader.ReadAsync().Soon();
            Assert.True(result.IsCompleted);
            Assert.Equal(80 - consumed, result.Buffer.Length);
            ReaderExtensions.AssertContent(consumed + 20, 100, result.Buffer.ToArray());
        }
    }
}
