using System.Net;
using System.Text;

namespace Millrace.Transfer.Tests.Folders;

/// <summary>The client finds names by every protocol, and trusts no answer.</summary>
public sealed class SearchTests : ServerTest
{
    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Names_are_found_with_their_facts(TransferProtocol protocol)
    {
        using var here = new TemporaryFolder();
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        for (int i = 0; i < 5; i++)
        {
            here.Write($"sub {i % 3}/Bäche {i}.txt", Content.Random(100 + i, i));
        }

        await client.PutFolderAsync(here.Path, Clients.Name("all"));
        var states = new List<SearchProgress>();
        List<RemoteEntry> found = await client.SearchAsync(Clients.Name("all"), "txt BACHE", progress: states.Add).ToListAsync();
        Assert.Equal(here.Files.Select(name => $"all/{name}"), found.Select(entry => entry.Name.Value).Order(StringComparer.Ordinal));
        Assert.All(found, entry => Assert.Equal((100 + (entry.Name.Value[^5] - '0'), false), (entry.Length!.Value, entry.IsFolder)));
        Assert.Equal(new SearchProgress(8, IsComplete: true, HasMore: false, 0), states[^1]);
        Assert.Equal(3, (await client.SearchAsync(default, "sub").ToListAsync()).Count(entry => entry.IsFolder));

        states.Clear();
        Assert.Equal(2, (await client.SearchAsync(default, "che", limit: 2, states.Add).ToListAsync()).Count);
        Assert.True(states[^1].HasMore);
        TransferException exception = await Assert.ThrowsAsync<TransferException>(() => client.SearchAsync(Clients.Name("none"), "x").ToListAsync().AsTask());
        Assert.Equal(TransferError.NotFound, exception.Error);
        exception = await Assert.ThrowsAsync<TransferException>(() => client.SearchAsync(default, " ").ToListAsync().AsTask());
        Assert.Equal(TransferError.InvalidRequest, exception.Error);
    }
}
