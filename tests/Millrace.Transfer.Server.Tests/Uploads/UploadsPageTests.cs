namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class UploadsPageTests
{
    [NeedsFact(Need.Bash | Need.Curl)]
    public async Task Commands_of_the_uploads_page_print_what_it_shows()
    {
        using var folder = new TemporaryFolder();
        await using RunningServer server = await RunningServer.StartAsync();
        Assert.InRange(await DocumentedCommands.RunAsync("uploads.md", null, server.Address, folder.Path), 12, 100);
        Assert.Empty(server.Complaints);
    }
}
