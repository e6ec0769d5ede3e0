using System.Diagnostics;
using System.Globalization;
using Xunit.Abstractions;

namespace Millrace.Transfer.Tests.Measured;

/// <summary>
/// What several connections gain, as docs/transfer-client.md has it. All of it with <c>MILLRACE_MEASURE=1</c>, printed; one
/// short round otherwise, so that it goes on working.
/// </summary>
[CollectionDefinition(nameof(LongWayTests), DisableParallelization = true)]
[Collection(nameof(LongWayTests))]
public sealed class LongWayTests(ITestOutputHelper output)
{
    private static readonly bool Asked = Environment.GetEnvironmentVariable("MILLRACE_MEASURE") == "1";
    private static readonly int Bytes = Asked ? 64_000_000 : 2_000_000;
    private static readonly int Times = Asked ? 3 : 1;
    private static readonly int[] Delays = Asked ? [1, 25, 60] : [1];

    [Fact]
    public async Task Every_protocol_moves_the_whole_file_with_one_connection_and_with_four()
    {
        using var folder = new TemporaryFolder();
        byte[] content = Content.Random(Bytes);
        string path = folder.Write("x", content);
        output.WriteLine("each way | direction | 1 connection | up to 4 | were open");
        foreach (int delay in Delays)
        {
            foreach (bool up in new[] { true, false })
            {
                (double one, _) = await MedianAsync(folder, path, content, delay, up, connections: 1);
                (double four, int open) = await MedianAsync(folder, path, content, delay, up, connections: 4);
                output.WriteLine(string.Create(
                    CultureInfo.InvariantCulture, $"{delay} ms | {(up ? "up" : "down")} | {one:0.0} s | {four:0.0} s | {open}"));
            }
        }
    }

    private static async Task<(double Seconds, int Open)> MedianAsync(
        TemporaryFolder folder, string path, byte[] content, int delay, bool up, int connections)
    {
        var seconds = new List<double>();
        int open = 0;
        for (int i = 0; i < Times; i++)
        {
            await using TestServer server = await TestServer.StartAsync();
            await using var relay = new TestRelay(
                () => server.Port, _ => new RelayPlan { Delay = TimeSpan.FromMilliseconds(delay) });
            using TransferClient client = Clients.To(relay.Files, options => options.MaxConnections = connections);
            TransferName name = Clients.Name("x");
            if (!up)
            {
                File.Copy(path, server.PathOf("x"));
            }

            long started = Stopwatch.GetTimestamp();
            await (up ? client.PutAsync(path, name) : client.GetAsync(name, folder["y"]));
            seconds.Add(Stopwatch.GetElapsedTime(started).TotalSeconds);
            Assert.Equal(content, await File.ReadAllBytesAsync(up ? server.PathOf("x") : folder["y"]));
            open = Math.Max(open, relay.MaxOpen);
        }

        seconds.Sort();
        return (seconds[seconds.Count / 2], open);
    }
}
