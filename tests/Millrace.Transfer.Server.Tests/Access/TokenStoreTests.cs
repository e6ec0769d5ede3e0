using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server.Tests.Access;

public sealed class TokenStoreTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-tokens-").FullName;
    private readonly ManualClock _clock = new();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private string FilePath => Path.Combine(_folder, "sub", TokenStore.FileName);

    private TokenStore Open() => new(FilePath, _clock);

    [Fact]
    public async Task Secret_finds_only_its_token()
    {
        TokenStore store = Open();
        CreatedToken one = await store.AddAsync("one", TransferScope.Read, TransferName.Parse("a/b"), TimeSpan.FromDays(1));
        CreatedToken two = await store.AddAsync("two", TransferScope.All);

        Assert.Equal(one.Token, store.Find(one.Secret));
        Assert.Equal(two.Token, store.Find(two.Secret));
        Assert.Null(store.Find(one.Secret + "x"));
        Assert.Null(store.Find(""));
    }

    [Theory]
    [InlineData(250)]
    [InlineData(255)]
    public async Task File_may_have_a_name_of_any_length(int bytes)
    {
        var store = new TokenStore(Path.Combine(_folder, new string('t', bytes)), _clock);
        CreatedToken made = await store.AddAsync("one", TransferScope.Read);
        Assert.Equal(made.Token, store.Find(made.Secret));
    }

    [Fact]
    public async Task A_secret_is_256_random_bits_and_is_in_no_file()
    {
        TokenStore store = Open();
        string secret = (await store.AddAsync("one", TransferScope.Read)).Secret;

        Assert.Matches("^mr_[A-Za-z0-9_-]{43}$", secret);
        foreach (string file in Directory.EnumerateFiles(_folder, "*", SearchOption.AllDirectories))
        {
            Assert.DoesNotContain(secret[3..], await File.ReadAllTextAsync(file), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Secret_is_not_in_the_text_of_a_new_token()
    {
        CreatedToken made = await Open().AddAsync("one", TransferScope.Read);

        Assert.Contains("one", made.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain(made.Secret, made.ToString(), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Native)]
    public async Task A_lock_of_another_program_keeps_nobody_out()
    {
        CreatedToken made = await Open().AddAsync("one", TransferScope.Read);
        using SafeFileHandle held = File.OpenHandle(FilePath, FileMode.Open, FileAccess.Read, FileShare.None);

        Assert.Equal(made.Token, Open().Find(made.Secret));
        Assert.NotNull((await Open().AddAsync("two", TransferScope.Read)).Secret);
    }

    [NeedsFact(Need.Unix)]
    [UnsupportedOSPlatform("windows")]
    public async Task Only_the_owner_may_read_the_file()
    {
        TokenStore store = Open();
        await store.AddAsync("one", TransferScope.Read);
        File.SetUnixFileMode(FilePath, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead);
        await store.AddAsync("two", TransferScope.Read);

        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(FilePath));
    }

    [Fact]
    public async Task Change_by_another_process_applies_to_the_next_request()
    {
        TokenStore server = Open();
        TokenStore command = Open();
        Assert.Empty(server.List());

        CreatedToken made = await command.AddAsync("one", TransferScope.Read);
        Assert.NotNull(server.Find(made.Secret));

        Assert.True(await command.RemoveAsync("one"));
        Assert.Null(server.Find(made.Secret));
        Assert.False(await command.RemoveAsync("one"));
    }

    [Fact]
    public async Task Change_of_the_same_length_in_the_same_instant_is_noticed()
    {
        TokenStore server = Open();
        string first = (await server.AddAsync("aaa", TransferScope.Read)).Secret;
        string other = Path.Combine(_folder, "other.json");
        string second = (await new TokenStore(other, _clock).AddAsync("bbb", TransferScope.Read)).Secret;
        DateTime modified = File.GetLastWriteTimeUtc(FilePath);
        Assert.NotNull(server.Find(first));

        File.Move(other, FilePath, overwrite: true);
        File.SetLastWriteTimeUtc(FilePath, modified);

        Assert.Null(server.Find(first));
        Assert.NotNull(server.Find(second));
    }

    [Fact]
    public async Task A_token_is_valid_until_it_expires()
    {
        TokenStore store = Open();
        string secret = (await store.AddAsync("one", TransferScope.Read, lifetime: TimeSpan.FromHours(1))).Secret;

        _clock.Now += TimeSpan.FromHours(1) - TimeSpan.FromTicks(1);
        Assert.NotNull(store.Find(secret));
        _clock.Now += TimeSpan.FromTicks(1);
        Assert.Null(store.Find(secret));
        Assert.Single(store.List());
    }

    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData(":link")]
    [InlineData("a/b")]
    [InlineData("ä")]
    public async Task Invalid_token_name_is_refused(string name)
    {
        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            async () => await Open().AddAsync(name, TransferScope.Read));
        Assert.Equal(TransferError.InvalidRequest, exception.Error);
        Assert.False(File.Exists(FilePath));
    }

    [Fact]
    public async Task Token_name_is_unique()
    {
        TokenStore store = Open();
        await store.AddAsync("one", TransferScope.Read);
        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            async () => await store.AddAsync("one", TransferScope.Write));
        Assert.Equal(TransferError.AlreadyExists, exception.Error);
    }

    [Fact]
    public async Task Tokens_created_concurrently_are_all_kept()
    {
        await Task.WhenAll(Enumerable.Range(0, 20).Select(i => Task.Run(async () =>
            await Open().AddAsync($"token-{i}", TransferScope.Read))));
        Assert.Equal(20, Open().List().Count);
    }

    [Theory]
    [InlineData("{")]
    [InlineData("""{"version":2}""")]
    [InlineData("""{"version":1,"tokens":[{"name":"a","sha256":"00","scopes":"read"}]}""")]
    [InlineData("""{"version":1,"linkKey":"AAAA"}""")]
    public async Task Damaged_token_file_authenticates_nobody_and_is_not_overwritten(string content)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(FilePath)!);
        await File.WriteAllTextAsync(FilePath, content);
        TokenStore store = Open();

        TransferException exception = Assert.Throws<TransferException>(() => store.Find("mr_x"));
        Assert.Contains(FilePath, exception.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<TransferException>(async () => await store.AddAsync("one", TransferScope.Read));
        Assert.Equal(content, await File.ReadAllTextAsync(FilePath));
    }

    [Fact]
    public async Task Link_key_stays_until_links_are_revoked()
    {
        TokenStore store = Open();
        LinkKey first = await store.GetLinkKeyAsync();
        Assert.Equal(first.Version, (await Open().GetLinkKeyAsync()).Version);

        await store.RevokeLinksAsync();
        Assert.Equal(first.Version + 1, (await Open().GetLinkKeyAsync()).Version);
    }
}
