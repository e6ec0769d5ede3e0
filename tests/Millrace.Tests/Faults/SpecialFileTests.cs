using System.Net.Sockets;
using Millrace.Interop;

namespace Millrace.Tests.Faults;

public sealed class SpecialFileTests : FolderTests
{
    [NeedsFact(Need.Linux)]
    public void FIFOs_sockets_and_devices_are_told_from_files_without_opening_them()
    {
        Linux.MakeFifo(Folder["fifo"]);
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        string bound = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"));
        socket.Bind(new UnixDomainSocketEndPoint(bound));
        File.Move(bound, Folder["socket"]);
        File.CreateSymbolicLink(Folder["link"], "fifo");
        File.CreateSymbolicLink(Folder["to nothing"], "nothing");
        File.WriteAllBytes(Folder["empty"], []);

        Assert.All((string[])[Folder["fifo"], Folder["socket"], Folder["link"], "/dev/null"], path => Assert.True(SpecialFile.Is(path), path));
        Assert.All((string[])[Folder["empty"], Folder.Path, Folder["nothing"], Folder["to nothing"]], path => Assert.False(SpecialFile.Is(path), path));
    }
}
