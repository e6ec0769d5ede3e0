using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server.Tests.Access;

public sealed class SignedLinkTests
{
    private static readonly TransferName Name = TransferName.Parse("2026/may.csv");
    private readonly LinkKey _key = new(3, LinkKey.NextSecret());
    private readonly ManualClock _clock = new();
    private TransferName _prefix;

    private string Query(string method = "GET", string? prefix = null) => "?" + SignedLink.CreateQuery(
        _key, method, Name, _clock.Now + TimeSpan.FromHours(1), prefix is null ? default : TransferName.Parse(prefix));

    private bool Allows(
        string query, string method = "GET", TransferScope scope = TransferScope.Read, string? name = null, LinkKey? key = null)
    {
        HttpRequest request = new DefaultHttpContext().Request;
        request.Method = method;
        request.QueryString = new QueryString(query);
        Assert.True(SignedLink.IsIn(request));
        TransferScope allowed = SignedLink.ScopeOf(
            key ?? _key, request, name is null ? Name : TransferName.Parse(name), _clock.GetUtcNow(), out _prefix);
        return allowed != TransferScope.None && (allowed & scope) == scope;
    }

    [Theory]
    [InlineData("GET", "GET", TransferScope.Read)]
    [InlineData("GET", "HEAD", TransferScope.Read)]
    [InlineData("PUT", "PUT", TransferScope.Write)]
    public void Link_allows_its_method_and_scope(string made, string used, TransferScope scope) =>
        Assert.True(Allows(Query(made), used, scope));

    [Theory]
    [InlineData(null, "")]
    [InlineData("2026", "2026")]
    [InlineData("2026/may.csv", "2026/may.csv")]
    public void Link_says_how_far_its_signer_may_go(string? prefix, string read)
    {
        Assert.True(Allows(Query(prefix: prefix)));
        Assert.Equal(read, _prefix.Value);
    }

    [Theory]
    [InlineData("2026", "mr-prefix=2026&", "")]
    [InlineData("2026", "mr-prefix=2026&", "mr-prefix=&")]
    [InlineData("2026", "mr-prefix=2026&", "mr-prefix=2026&mr-prefix=2026&")]
    [InlineData("2026", "mr-prefix=2026&", "mr-prefix=2026%2Fmay.csv&")]
    [InlineData("2026/may.csv", "mr-prefix=2026%2Fmay.csv&", "mr-prefix=2026&")]
    [InlineData(null, "mr-signature", "mr-prefix=2026&mr-signature")]
    public void Changed_prefix_invalidates_a_link(string? prefix, string before, string after)
    {
        string query = Query(prefix: prefix);
        Assert.Contains(before, query, StringComparison.Ordinal);
        Assert.False(Allows(query.Replace(before, after, StringComparison.Ordinal)));
    }

    [Fact]
    public void Lines_of_a_name_stand_for_nothing_else_in_a_link()
    {
        TransferName name = TransferName.Parse("2026/a\n9999999999\n3\nb");
        string seconds = $"{(_clock.Now + TimeSpan.FromHours(1)).ToUnixTimeSeconds()}";
        string query = "?" + SignedLink.CreateQuery(_key, "GET", name, _clock.Now + TimeSpan.FromHours(1), TransferName.Parse("2026"));
        Assert.True(Allows(query, name: name.Value));

        string longer = query.Replace($"mr-expires={seconds}&", "mr-expires=9999999999&", StringComparison.Ordinal)
            .Replace("mr-prefix=2026&", $"mr-prefix={Uri.EscapeDataString($"b\n{seconds}\n3\n2026")}&", StringComparison.Ordinal);
        Assert.False(Allows(longer, name: "2026/a"));
    }

    [Fact]
    public void Links_are_not_signed_for_files_outside_the_prefix() => Assert.Throws<ArgumentException>(() => Query(prefix: "2027"));

    [Theory]
    [InlineData("GET", "PUT", TransferScope.Write)]
    [InlineData("PUT", "GET", TransferScope.Read)]
    [InlineData("PUT", "DELETE", TransferScope.Delete)]
    [InlineData("PUT", "POST", TransferScope.Write)]
    [InlineData("GET", "GET", TransferScope.List)]
    [InlineData("GET", "GET", TransferScope.Read | TransferScope.List)]
    public void A_link_allows_no_other_method_or_scope(string made, string used, TransferScope scope) =>
        Assert.False(Allows(Query(made), used, scope));

    [Theory]
    [InlineData("2026/may.csv.gz")]
    [InlineData("2026/may.cs")]
    [InlineData("2026")]
    [InlineData("may.csv")]
    [InlineData("2026/May.csv")]
    public void A_link_allows_no_other_name(string name) => Assert.False(Allows(Query(), name: name));

    [Fact]
    public void Link_is_valid_until_it_expires()
    {
        string query = Query();
        _clock.Now += TimeSpan.FromHours(1) - TimeSpan.FromSeconds(1);
        Assert.True(Allows(query));
        _clock.Now += TimeSpan.FromSeconds(1);
        Assert.False(Allows(query));
    }

    [Fact]
    public void Any_change_of_a_link_invalidates_it()
    {
        string query = Query();
        int tried = 0;
        for (int i = 1; i < query.Length - 1; i++)
        {
            // Names of fields end at the equals sign; the last digit of base64 has bits that mean nothing.
            int start = query.LastIndexOfAny(['&', '=', '?'], i);
            if (start == i || query[start] != '=')
            {
                continue;
            }

            string changed = query[..i] + (query[i] == '1' ? '2' : '1') + query[(i + 1)..];
            Assert.False(Allows(changed), changed);
            tried++;
        }

        Assert.Equal("1777640400".Length + "3".Length + 42, tried);
    }

    [Fact]
    public void Replaced_key_invalidates_old_links()
    {
        Assert.False(Allows(Query(), key: new LinkKey(4, LinkKey.NextSecret())));
        Assert.False(Allows(Query(), key: new LinkKey(3, LinkKey.NextSecret())));
    }

    [Theory]
    [InlineData("?mr-signature=")]
    [InlineData("?mr-expires=1&mr-key=3&mr-signature=!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!")]
    [InlineData("?mr-expires=-1&mr-key=3&mr-signature=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    [InlineData("?mr-expires=99999999999999999999&mr-key=3&mr-signature=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    [InlineData("?mr-key=3&mr-signature=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    public void Invalid_link_allows_nothing(string query) => Assert.False(Allows(query));

    [Fact]
    public void Repeated_field_invalidates_a_link() => Assert.False(Allows(Query() + "&mr-expires=99999999999"));

    [Theory, InlineData("mr-expires="), InlineData("mr-key=")]
    public void Number_in_another_spelling_invalidates_a_link(string field)
    {
        Assert.True(Allows(Query()));
        Assert.False(Allows(Query().Replace(field, field + "0", StringComparison.Ordinal)));
    }

    [Theory, InlineData("DELETE"), InlineData("POST")]
    public void Links_exist_only_for_GET_and_PUT(string method) => Assert.Throws<ArgumentException>(() => Query(method));
}
