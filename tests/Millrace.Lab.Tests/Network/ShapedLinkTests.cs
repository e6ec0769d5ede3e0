using System.Net.Sockets;
using System.Runtime.Versioning;

namespace Millrace.Lab.Tests.Network;

[SupportedOSPlatform("linux")]
public sealed class ShapedLinkTests
{
    private const long BitsPerSecond = 80_000_000;

    [NeedsFact(Need.Namespaces)]
    public void Both_ends_are_limited_to_the_bandwidth()
    {
        using var link = ShapedLink.Create(BitsPerSecond);
        Assert.Equal(BitsPerSecond / 8, RateOf(Queue(link, far: false)));
        Assert.Equal(BitsPerSecond / 8, RateOf(Queue(link, far: true)));
    }

    [NeedsFact(Need.Namespaces)]
    public void Bytes_over_the_rate_wait_and_none_is_dropped()
    {
        using var link = ShapedLink.Create(BitsPerSecond);
        const int Bytes = 4 * 1024 * 1024;
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new System.Net.IPEndPoint(link.Near, 0));
        listener.Listen();
        int port = ((System.Net.IPEndPoint)listener.LocalEndPoint!).Port;
        WorkerCommand command = link.Inside(
            new WorkerCommand("bash", ["-c", $"head -c {Bytes} /dev/zero > /dev/tcp/{link.Near}/{port}"]));
        using Process process = Process.Start(new ProcessStartInfo(command.FileName, command.Arguments))!;
        using (Socket server = listener.Accept())
        {
            server.ReceiveTimeout = 60_000;
            Assert.Equal(Bytes, Ends.ReadToEnd(server).Length);
        }

        process.WaitForExit();
        JsonElement queue = Queue(link, far: true);
        Assert.True(queue.GetProperty("bytes").GetInt64() > Bytes);
        Assert.True(queue.GetProperty("overlimits").GetInt64() > 0);
        Assert.Equal(0, queue.GetProperty("drops").GetInt64());
    }

    [NeedsFact(Need.Namespaces)]
    public void Process_inside_the_link_is_the_started_one()
    {
        using var link = ShapedLink.Create(BitsPerSecond);
        WorkerCommand command = link.Inside(new WorkerCommand("sh", ["-c", "echo $$; ip -o -4 address show"]));
        using var process = Process.Start(
            new ProcessStartInfo(command.FileName, command.Arguments) { RedirectStandardOutput = true, UseShellExecute = false })!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.StartsWith($"{process.Id}\n", output, StringComparison.Ordinal);
        Assert.Contains(link.Far + "/30", output, StringComparison.Ordinal);
        Assert.DoesNotContain(link.Near + "/30", output, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Namespaces)]
    public void Several_links_can_exist()
    {
        using var first = ShapedLink.Create(BitsPerSecond);
        using var second = ShapedLink.Create(2 * BitsPerSecond);
        Assert.NotEqual(first.Far, second.Far);
        Assert.Equal(BitsPerSecond / 8, RateOf(Queue(first, far: true)));
        Assert.Equal(2 * BitsPerSecond / 8, RateOf(Queue(second, far: true)));
    }

    [NeedsFact(Need.Namespaces)]
    public void Disposing_the_link_leaves_nothing()
    {
        var link = ShapedLink.Create(BitsPerSecond);
        Assert.Contains(link.Namespace, Namespaces(), StringComparison.Ordinal);
        link.Dispose();
        Assert.DoesNotContain(link.Namespace, Namespaces(), StringComparison.Ordinal);
        Assert.Null(NetworkTool.TryRun("ip", "link", "show", link.NearInterface));
    }

    [NeedsFact(Need.Namespaces)]
    public void Links_of_dead_processes_are_removed_by_the_next()
    {
        using var process = Process.Start(new ProcessStartInfo("true"))!;
        process.WaitForExit();
        var left = new LinkName(process.Id, 1);
        NetworkTool.Run("ip", "netns", "add", left.Namespace);
        NetworkTool.Run("ip", "link", "add", left.Near, "type", "veth", "peer", "name", left.Far, "netns", left.Namespace);
        using var link = ShapedLink.Create(BitsPerSecond);
        Assert.DoesNotContain(left.Namespace, Namespaces(), StringComparison.Ordinal);
        Assert.Null(NetworkTool.TryRun("ip", "link", "show", left.Near));
    }

    [NeedsFact(Need.Namespaces)]
    public void Tool_error_is_reported_with_its_message()
    {
        LinkUnavailableException error = Assert.Throws<LinkUnavailableException>(
            () => NetworkTool.Run("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1bit", "burst", "0", "limit", "1"));
        Assert.Contains("'tc qdisc add dev lo", error.Message, StringComparison.Ordinal);
        Assert.Contains("rate", error.Message.Split("failed:")[1], StringComparison.Ordinal);
    }

    [Fact]
    public void Missing_tool_is_named_with_its_package()
    {
        LinkUnavailableException error = Assert.Throws<LinkUnavailableException>(() => NetworkTool.Run("no-such-tool"));
        Assert.Contains("'no-such-tool'", error.Message, StringComparison.Ordinal);
        Assert.Contains("iproute2", error.Message, StringComparison.Ordinal);
    }

    private static string Namespaces() => NetworkTool.Run("ip", "netns", "list");

    private static JsonElement Queue(ShapedLink link, bool far)
    {
        string[] where = far ? ["-n", link.Namespace] : [];
        string json = NetworkTool.Run(
            "tc", [.. where, "-s", "-j", "qdisc", "show", "dev", far ? link.FarInterface : link.NearInterface]);
        JsonElement queue = JsonDocument.Parse(json).RootElement[0];
        Assert.Equal("tbf", queue.GetProperty("kind").GetString());
        return queue;
    }

    private static long RateOf(JsonElement queue) => queue.GetProperty("options").GetProperty("rate").GetInt64();
}
