namespace Millrace.Cli.Tests.Serving;

/// <summary>Small files that the server keeps in memory, which the thread that waits for the events of sockets answers.</summary>
public sealed class InlineRequestTests : CommandTests
{
    private const int Requests = 4000;

    public InlineRequestTests() => IsHosted = false;

    /// <remarks>About every second the pool opens the file again. Without inline requests, its threads wait more than once for each request.</remarks>
    [NeedsFact(Need.Linux)]
    public async Task Pool_is_not_woken_for_a_small_file_that_is_in_memory()
    {
        Write("served/small.bin", 1000);
        using ServedCommand server = await ServeAsync("served");
        await server.Client.GetByteArrayAsync("files/small.bin");

        server.NewPoolWaits();
        for (int request = 0; request < Requests; request++)
        {
            await server.Client.GetByteArrayAsync("files/small.bin");
        }

        Assert.InRange(server.NewPoolWaits(), 0, Requests / 2);
    }

    /// <remarks>Limiters of callers that looked for idle ones ten times a second, seven of them, woke the pool fifty times a second and more.</remarks>
    [NeedsFact(Need.Linux)]
    public async Task Server_with_nothing_to_do_rests()
    {
        Write("served/small.bin", 1000);
        using ServedCommand server = await ServeAsync("served");
        await server.Client.GetByteArrayAsync("files/small.bin");
        await server.Client.GetByteArrayAsync("files/?recursive");
        await Bounded.UntilAsync(async () =>
        {
            server.NewPoolWaits();
            await Task.Delay(TimeSpan.FromSeconds(2));
            return server.NewPoolWaits() < 40;
        });
    }
}
