using System.Net;
using System.Net.Sockets;

namespace Millrace.Lab.Tests.Transfers;

public sealed class LinkWatchTests
{
    private const int Bytes = 1000;

    [NeedsFact(Need.Linux)]
    public void Transfer_that_ends_in_its_beginning_has_no_share() => Assert.Null(ShareAfter(TimeSpan.FromHours(1)));

    [NeedsFact(Need.Linux)]
    public void Share_is_of_the_bytes_after_the_beginning() => Assert.InRange(ShareAfter(TimeSpan.Zero)!.Value, double.Epsilon, Bytes * 8 * 1e9);

    /// <summary>Of bytes over loopback, at a bit per second.</summary>
    private static double? ShareAfter(TimeSpan beginning)
    {
        var watch = new LinkWatch("lo", TransferDirection.Download, bitsPerSecond: 1, beginning);
        watch.Begin();
        using var receiver = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        receiver.Send(new byte[Bytes], (IPEndPoint)receiver.Client.LocalEndPoint!);
        IPEndPoint? from = null;
        receiver.Receive(ref from);
        return watch.End(Bytes);
    }
}
