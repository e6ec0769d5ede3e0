using System.Net.Http.Headers;
using System.Xml.Linq;

namespace Millrace.Transfer.Server.Tests.Dav;

/// <summary>The scopes of tokens, and that only its owner can use a lock.</summary>
public sealed class DavAccessTests : DavTest, IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly TokenStore _tokens;

    public DavAccessTests() => _tokens = new TokenStore(Path.Combine(_folder.Path, "tokens.json"));

    protected override RunningServerOptions Options => new()
    {
        Services = services => services.AddMillraceTransfer(access => access.Tokens = _tokens),
    };

    [Fact]
    public async Task Lock_is_used_and_ended_by_its_taker_only()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        string owner = await TokenAsync(TransferScope.All);
        string thief = await TokenAsync(TransferScope.All);
        Use(owner);
        string token = await LockAsync("files/a");
        await StatusIsAsync(204, PutAsync("files/a", ("If", $"(<{token}>)")));
        Use(thief);

        // Everybody who lists may see the lock's token, which alone is worth nothing.
        Assert.Contains(token, (await FindAsync("files/a", 0)).Single().Value.ToString(), StringComparison.Ordinal);
        await StatusIsAsync(423, PutAsync("files/a", ("If", $"(<{token}>)")));
        await StatusIsAsync(423, SendAsync(HttpMethod.Delete, "files/a", null, ("If", $"(<{token}>)")));
        await StatusIsAsync(403, DavAsync("UNLOCK", "files/a", null, ("Lock-Token", $"<{token}>")));
        await StatusIsAsync(412, DavAsync("LOCK", "files/a", null, ("If", $"(<{token}>)")));
        Use(owner);
        await StatusIsAsync(204, DavAsync("UNLOCK", "files/a", null, ("Lock-Token", $"<{token}>")));
        Use(thief);
        await StatusIsAsync(204, PutAsync("files/a"));
    }

    [Theory]
    [InlineData("PROPFIND", "files/f/a", "0", TransferScope.Read)]
    [InlineData("PROPFIND", "files/f/", "0", TransferScope.List)]
    [InlineData("PROPFIND", "files/f", "0", TransferScope.Read | TransferScope.List)]
    [InlineData("PROPFIND", "files/f/", "1", TransferScope.List)]
    [InlineData("PROPPATCH", "files/f/a", null, TransferScope.Write)]
    [InlineData("LOCK", "files/f/a", null, TransferScope.Write)]
    [InlineData("COPY", "files/f/a", null, TransferScope.Read | TransferScope.Write)]
    [InlineData("COPY", "files/f/", null, TransferScope.Read | TransferScope.Write | TransferScope.List)]
    public async Task Scopes_are_needed_all_of_them(string method, string path, string? depth, TransferScope needed)
    {
        await Server.WriteAsync("f/a", new byte[] { 1 });
        await StatusIsAsync(401, AskAsync());
        foreach (TransferScope one in (TransferScope[])[TransferScope.Read, TransferScope.Write, TransferScope.List])
        {
            if (needed.HasFlag(one))
            {
                Use(await TokenAsync(TransferScope.All & ~one));
                await StatusIsAsync(403, AskAsync());
            }
        }

        Use(await TokenAsync(needed, "other"));
        await StatusIsAsync(403, AskAsync());
        Use(await TokenAsync(needed));
        using HttpResponseMessage answer = await AskAsync();
        Assert.True(answer.IsSuccessStatusCode, $"{answer.StatusCode}");

        async Task<HttpResponseMessage> AskAsync()
        {
            // Without any token, everything would be allowed.
            _ = await TokenAsync(TransferScope.Link);
            return await DavAsync(
                method, path, method == "LOCK" ? Exclusive : method == "PROPPATCH" ? Set("<x xmlns=\"urn:x\"/>") : null,
                depth is null ? [("Destination", "/files/copy")] : [("Destination", "/files/copy"), ("Depth", depth)]);
        }
    }

    [Fact]
    public async Task Conditions_about_files_of_others_tell_nothing()
    {
        await Server.WriteAsync("mine/a", new byte[] { 1 });
        await Server.WriteAsync("theirs/b", new byte[] { 1 });
        Use(await TokenAsync(TransferScope.All));
        using HttpResponseMessage get = await GetAsync("files/theirs/b");
        Use(await TokenAsync(TransferScope.All, "mine"));
        await StatusIsAsync(412, PutAsync("files/mine/a", ("If", $"</files/theirs/b> ([{get.Headers.ETag}])")));
        await StatusIsAsync(204, PutAsync("files/mine/a", ("If", $"</files/theirs/b> (Not [{get.Headers.ETag}])")));
        await StatusIsAsync(403, DavAsync("COPY", "files/mine/a", null, ("Destination", "/files/theirs/c")));
        await StatusIsAsync(403, DavAsync("COPY", "files/theirs/b", null, ("Destination", "/files/mine/c")));
    }

    [Theory]
    [InlineData("PROPPATCH")]
    [InlineData("COPY")]
    [InlineData("LOCK")]
    [InlineData("PROPFIND")]
    public async Task Pages_of_other_sites_are_refused(string method)
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        Use(await TokenAsync(TransferScope.All));
        await StatusIsAsync(403, DavAsync(method, "files/a", null, ("Origin", "https://evil.example"), ("Depth", "0"), ("Destination", "/files/b")));
    }

    public void Dispose()
    {
        _folder.Dispose();
        GC.SuppressFinalize(this);
    }

    private void Use(string secret) => Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", secret);

    private async Task<string> TokenAsync(TransferScope scopes, string? prefix = null) =>
        (await _tokens.AddAsync(Guid.NewGuid().ToString("N"), scopes, prefix is null ? default : TransferName.Parse(prefix), null)).Secret;

    private Task<HttpResponseMessage> PutAsync(string path, params (string, string)[] fields) =>
        SendAsync(HttpMethod.Put, path, new ByteArrayContent([2]), fields);
}
