namespace Millrace.Transfer.Tests.Retrying;

/// <summary>Changes of a file that a WebDAV client has locked.</summary>
public sealed class LockedNameTests : ServerTest
{
    [Theory, EveryProtocol]
    public async Task Change_of_a_locked_file_ends_at_once_and_names_the_holder(TransferProtocol protocol)
    {
        Server.Write("a", 10);
        using var http = new HttpClient();
        using var request = new HttpRequestMessage(new HttpMethod("LOCK"), new Uri(Server.Files, "a"))
        {
            Content = new StringContent(
                "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner>Ann's editor</D:owner></D:lockinfo>"),
        };
        using HttpResponseMessage locked = await http.SendAsync(request);
        locked.EnsureSuccessStatusCode();

        // A retry would begin after the test.
        using TransferClient client = Server.Connect(options =>
        {
            options.Protocol = protocol;
            options.FirstDelay = options.MaxDelay = TimeSpan.FromHours(1);
        });
        foreach (Func<Task> change in (Func<Task>[])
        [
            () => client.PutAsync(new MemoryStream(new byte[5]), Clients.Name("a")),
            () => client.PutAsync(new MemoryStream(new byte[20_000_000]), Clients.Name("a")),
            () => client.DeleteAsync(Clients.Name("a")),
            () => client.MoveAsync(Clients.Name("a"), Clients.Name("b")),
        ])
        {
            TransferException exception = await Fails.WithAsync(TransferError.PreconditionFailed, () => change().Soon());
            Assert.Contains("'a' is locked by Ann's editor. If the lock is not refreshed, it ends in", exception.Message, StringComparison.Ordinal);
        }
    }
}
