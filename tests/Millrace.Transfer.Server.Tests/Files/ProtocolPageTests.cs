namespace Millrace.Transfer.Server.Tests.Files;

public sealed class ProtocolPageTests : ClientTest
{
    // In a bucket, the folder that a file is moved to need not exist.
    [NeedsFact(Need.Bash | Need.Curl), NeedsLocalFolder]
    public async Task Commands_of_the_protocol_page_print_what_it_shows()
    {
        int commands = await DocumentedCommands.RunAsync("protocol.md", "## Files", Server.Address, Here);

        // A page whose blocks are marked otherwise would have none.
        Assert.InRange(commands, 30, 1000);
        Assert.Empty(Server.Complaints);
    }
}
